"""The use cases: register, describe, price, preview, submit, approve, publish, verify."""

from dprelease.workspace.workspace import Workspace

__all__ = ["Workspace"]
