"""The family of networks that can be handed in; the audit knows how to run these and no others."""
