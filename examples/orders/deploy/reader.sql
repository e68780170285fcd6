-- The role of query_orders. PostgreSQL runs this once, as the owner of the tables, before the server creates them.
CREATE ROLE orders_reader LOGIN PASSWORD 'reader';
GRANT USAGE ON SCHEMA public TO orders_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO orders_reader;
