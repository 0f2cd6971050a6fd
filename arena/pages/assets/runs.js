// The script of the list of runs.

import { startRuns } from "./runs_list.js";

startRuns();
