"""UnivEARTH: yes/no questions about Earth observation, and a sample of our own."""
