-- Run once, when the database is made: an account that may read, and no more.
\set reader_password `cat /run/secrets/reader_password`
CREATE ROLE dprelease LOGIN PASSWORD :'reader_password';
ALTER ROLE dprelease SET default_transaction_read_only = on;
ALTER ROLE dprelease SET statement_timeout = '30min';
CREATE SCHEMA health;
GRANT USAGE ON SCHEMA health TO dprelease;
ALTER DEFAULT PRIVILEGES IN SCHEMA health GRANT SELECT ON TABLES TO dprelease;
