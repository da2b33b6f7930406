"""Small widgets that two or more regions share."""
