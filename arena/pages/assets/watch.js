// The script of the pages that follow a tournament.

import { startPages } from "./main.js";
import { SERVER } from "./server.js";
import { useSource } from "./source.js";

useSource(SERVER);
startPages();
