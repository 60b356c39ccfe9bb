// SPDX-License-Identifier: Apache-2.0
import { answerGraphCalls, type Port } from "./graphCalls";

answerGraphCalls(self as unknown as Port);
