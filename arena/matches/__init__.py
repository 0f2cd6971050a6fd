"""What happens next: the machines of a match, events in and facts out, time coming in as whole milliseconds."""
