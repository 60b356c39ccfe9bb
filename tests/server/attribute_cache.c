/* SPDX-License-Identifier: Apache-2.0
 *
 * What a client of a network file system sees below the directory ATTRIBUTES_BELOW: sizes and times that are
 * ATTRIBUTES_S seconds old, times of a server whose clock differs by CLOCK_SKEW_S, and no notifications.
 * For LD_PRELOAD.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#define ENTRIES 4096

typedef struct { dev_t device; ino_t inode; double seen_at; struct stat64 attributes; } Entry;
static Entry entries[ENTRIES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double number(const char *name) {
    const char *text = getenv(name);
    return text ? atof(text) : 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int is_below(const char *path) {
    const char *below = getenv("ATTRIBUTES_BELOW");
    return below && path && !strncmp(path, below, strlen(below));
}

/* Replaces attributes by those that were seen first within the last seconds; is_new: those of a path that counts. */
static void age(struct stat64 *found, int is_new) {
    unsigned long place = (found->st_ino * 2654435761u ^ found->st_dev) % ENTRIES;
    pthread_mutex_lock(&lock);
    for (int tries = 0; tries < ENTRIES; tries++, place = (place + 1) % ENTRIES) {
        Entry *entry = &entries[place];
        int is_free = !entry->inode, is_same = entry->inode == found->st_ino && entry->device == found->st_dev;
        if (!is_free && !is_same) continue;
        if (is_free && !is_new) break;
        if (is_free || now() - entry->seen_at > number("ATTRIBUTES_S")) {
            *entry = (Entry){found->st_dev, found->st_ino, now(), *found};
            entry->attributes.st_mtim.tv_sec += number("CLOCK_SKEW_S");
        }
        *found = entry->attributes;
        break;
    }
    pthread_mutex_unlock(&lock);
}

#define REAL(name, ...) ((int (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

int stat64(const char *path, struct stat64 *found) {
    int failed = REAL("stat64", const char *, struct stat64 *)(path, found);
    if (!failed && is_below(path)) age(found, 1);
    return failed;
}

int lstat64(const char *path, struct stat64 *found) {
    int failed = REAL("lstat64", const char *, struct stat64 *)(path, found);
    if (!failed && is_below(path)) age(found, 1);
    return failed;
}

int fstatat64(int directory, const char *path, struct stat64 *found, int flags) {
    int failed = REAL("fstatat64", int, const char *, struct stat64 *, int)(directory, path, found, flags);
    if (!failed) age(found, is_below(path));
    return failed;
}

int fstat64(int file, struct stat64 *found) {
    int failed = REAL("fstat64", int, struct stat64 *)(file, found);
    if (!failed) age(found, 0);
    return failed;
}

int inotify_add_watch(int instance, const char *path, unsigned int mask) {
    int (*watch)(int, const char *, unsigned int) = dlsym(RTLD_NEXT, "inotify_add_watch");
    return is_below(path) ? watch(instance, "/proc/self/mem", IN_UNMOUNT) : watch(instance, path, mask);
}
