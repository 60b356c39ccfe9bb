/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of NVML that the metrics call, for two GPUs of which the first has a MIG instance: tests load it by the
 * real binding, as they have no driver. Structures are those of nvml.h.
 */
#include <stdlib.h>
#include <string.h>

#define OK 0
#define INVALID 2
#define NOT_SUPPORTED 3
#define NOT_FOUND 6

typedef struct { int index, is_instance; } Gpu;
static Gpu gpus[] = {{0, 0}, {1, 0}, {0, 1}};
static const char *uuids[] = {"GPU-11111111-aaaa", "GPU-22222222-bbbb", "MIG-33333333-cccc"};

int nvmlInit_v2(void) { return OK; }
int nvmlInitWithFlags(unsigned int flags) { return OK; }
int nvmlShutdown(void) { return OK; }
const char *nvmlErrorString(int code) { return "error"; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 2; return OK; }

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, Gpu **gpu) {
    if (index > 1) return INVALID;
    *gpu = &gpus[index];
    return OK;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, Gpu **gpu) {
    for (int i = 0; i < 3; i++)
        if (!strcmp(uuid, uuids[i])) { *gpu = &gpus[i]; return OK; }
    return NOT_FOUND;
}

int nvmlDeviceGetUUID(Gpu *gpu, char *uuid, unsigned int length) {
    strncpy(uuid, uuids[gpu - gpus], length);
    return OK;
}

int nvmlDeviceGetName(Gpu *gpu, char *name, unsigned int length) {
    strncpy(name, gpu->index && getenv("FAKE_MIXED") ? "Slow GPU" : "Fast GPU", length);
    return OK;
}

int nvmlDeviceGetIndex(Gpu *gpu, unsigned int *index) { *index = gpu->index; return OK; }
int nvmlDeviceGetGpuInstanceId(Gpu *gpu, unsigned int *id) { *id = 5; return OK; }

int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Gpu *gpu, Gpu **whole) {
    *whole = &gpus[gpu->index];
    return OK;
}

int nvmlDeviceGetUtilizationRates(Gpu *gpu, struct { unsigned int gpu, memory; } *rates) {
    if (gpu->is_instance) return NOT_SUPPORTED;
    rates->gpu = 40 + gpu->index;
    rates->memory = 7;
    return OK;
}

int nvmlDeviceGetMemoryInfo(Gpu *gpu, struct { unsigned long long total, free, used; } *memory) {
    memory->total = (gpu->is_instance ? 10ULL : 80ULL) << 30;
    memory->used = 5ULL << 30;
    memory->free = memory->total - memory->used;
    return OK;
}

int nvmlDeviceGetPowerUsage(Gpu *gpu, unsigned int *milliwatts) {
    if (gpu->is_instance) return NOT_SUPPORTED;
    *milliwatts = 250500;
    return OK;
}

int nvmlDeviceGetTemperature(Gpu *gpu, int sensor, unsigned int *celsius) {
    if (gpu->is_instance || sensor != 0) return NOT_SUPPORTED;
    *celsius = 61;
    return OK;
}

int nvmlDeviceGetClockInfo(Gpu *gpu, int type, unsigned int *megahertz) {
    *megahertz = type == 1 ? 1980 : 2619;
    return OK;
}

typedef struct { unsigned int pid; unsigned long long used; unsigned int gpu_instance, compute_instance; } Process;

int nvmlDeviceGetComputeRunningProcesses_v3(Gpu *gpu, unsigned int *count, Process *processes) {
    unsigned int room = *count;
    *count = 1;
    if (room < 1) return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
    processes[0] = (Process){atoi(getenv("FAKE_PID")), 3ULL << 30, 0, 0};
    return OK;
}
