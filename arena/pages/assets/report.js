// The script of a report: a file that has everything in it.

import { INSIDE } from "./inside.js";
import { startPages } from "./main.js";
import { useSource } from "./source.js";

useSource(INSIDE);
startPages();
