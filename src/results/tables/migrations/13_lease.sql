CREATE TABLE lease_owner (
  nonce TEXT NOT NULL
) STRICT;
