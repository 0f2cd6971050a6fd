// Makes the page of a test Swedish; imported before the modules of the page. There is no Finnish.

import { openPage } from "./page_globals.js";

openPage(["fi-FI", "sv-FI", "en-GB"]);
