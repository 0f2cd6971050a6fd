"""Commands that write the golden files which tests compare with; run one when what it writes has changed on purpose."""
