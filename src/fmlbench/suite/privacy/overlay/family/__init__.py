"""The family of networks that the audit can run."""
