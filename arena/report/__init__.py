"""The report: a run as one HTML file for people. Pure: bytes of records in, the text of a page out (docs/report.md)."""
