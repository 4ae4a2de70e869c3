"""Released tables of several sites, added up by anybody who has their bundles."""
