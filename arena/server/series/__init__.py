"""What a venue is over many days: its log, its accounts, its operator's acts."""
