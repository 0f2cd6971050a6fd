"""The shell: sockets, processes, clocks, chance and files around the pure rules and machines."""
