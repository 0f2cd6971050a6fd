"""What a venue is over many days: its referee, its log, its accounts, its ladders and cups."""
