// The script of a venue: its first page, ladders, bots, cups and the folder of its runs.

import { startVenue } from "./venue_pages.js";

startVenue();
