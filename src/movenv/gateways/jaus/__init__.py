"""JAUS, the Joint Architecture for Unmanned Systems: bytes to messages and back."""
