// Makes the page of a test English; imported before the modules of the page.

import { openPage } from "./page_globals.js";

openPage(["en-GB", "sv-SE"]);
