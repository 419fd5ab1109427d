"""What records tell: how far an agent came, how it searched, what it cost, and how sure one can be."""
