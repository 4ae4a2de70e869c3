"""The page of a release: one template for the bundle, the portal, the static site and the curator's own view."""
