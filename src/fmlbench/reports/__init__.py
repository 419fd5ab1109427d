"""What people look at: the terminal summary, trees and tables."""
