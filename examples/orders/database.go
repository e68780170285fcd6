package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database is the database of the order desk: a file of SQLite, or PostgreSQL. The statements of this program are the
// same for both.
type database struct {
	*sql.DB
	reader   *sql.DB // for statements that others write: cannot change anything; nil if there is none
	isSQLite bool
}

// open opens the database, and creates the tables that do not exist.
func open(ctx context.Context, c config) (db *database, err error) {
	db = &database{isSQLite: c.url == ""}
	driver, address, reader := "pgx", c.url, c.reader
	if db.isSQLite {
		path := filepath.ToSlash(filepath.Join(c.dir, "orders.db"))
		file := (&url.URL{Scheme: "file", OmitHost: true, Path: path}).String() + "?_pragma=busy_timeout(5000)"
		driver, reader = "sqlite", file+"&mode=ro&_pragma=query_only(1)"
		address = file + "&_txlock=immediate&_pragma=foreign_keys(1)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)"
	}
	if db.DB, err = sql.Open(driver, address); err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(32)
	db.SetMaxIdleConns(32)
	if reader != "" {
		if db.reader, err = sql.Open(driver, reader); err != nil {
			return nil, errors.Join(err, db.Close())
		}
		db.reader.SetMaxOpenConns(4)
		db.reader.SetMaxIdleConns(-1) // nothing that a statement leaves in a connection reaches the next one
	}
	if err := db.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepare creates the tables, and checks that the reader may only read.
func (db *database) prepare(ctx context.Context) error {
	if _, err := db.ExecContext(ctx, tables); err != nil {
		return err
	}
	if db.isSQLite || db.reader == nil {
		return nil
	}
	var mayWrite bool
	err := db.reader.QueryRowContext(ctx, `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls
		OR pg_has_role('pg_write_server_files', 'USAGE') OR pg_has_role('pg_execute_server_program', 'USAGE')
		OR has_schema_privilege(current_schema(), 'CREATE') OR EXISTS (SELECT FROM pg_class WHERE relkind = 'r'
			AND relnamespace = current_schema()::regnamespace AND has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
		FROM pg_roles WHERE rolname = current_user`).Scan(&mayWrite)
	if err == nil && mayWrite {
		err = errors.New("the role of READER_DATABASE_URL can do more than read; see the README")
	}
	return err
}

// Close closes the connections.
func (db *database) Close() error {
	var err error
	if db.reader != nil {
		err = db.reader.Close()
	}
	return errors.Join(err, db.DB.Close())
}

// transact runs fn in a transaction.
func (db *database) transact(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit there is nothing to roll back
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// read runs fn with a connection of the reader. Besides that it cannot write the file, or the role cannot, a statement of
// SQLite cannot open other files, and values have at most 1 MB.
func (db *database) read(ctx context.Context, fn func(*sql.Tx) error) (err error) {
	conn, err := db.reader.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if db.isSQLite {
		_, attached := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
		_, length := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, 1<<20)
		if err := errors.Join(attached, length); err != nil {
			return err
		}
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // there is nothing to write
	return fn(tx)
}

// all returns the rows of a query, in the fields that columns returns.
func all[Row any](ctx context.Context, db *database, columns func(*Row) []any, query string, args ...any) (list []Row, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err reports what went wrong
	for rows.Next() {
		var row Row
		if err := rows.Scan(columns(&row)...); err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// The time of an order is text in UTC, as in RFC 3339, which sorts by time in both databases.
const tables = `
	CREATE TABLE IF NOT EXISTS customers (id BIGINT PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
	CREATE TABLE IF NOT EXISTS orders (id BIGINT PRIMARY KEY, customer BIGINT NOT NULL REFERENCES customers (id),
		placed TEXT NOT NULL, status TEXT NOT NULL, cents BIGINT NOT NULL);
	CREATE INDEX IF NOT EXISTS orders_placed ON orders (placed, id);
	CREATE INDEX IF NOT EXISTS orders_customer ON orders (customer);
	CREATE TABLE IF NOT EXISTS items (order_id BIGINT NOT NULL REFERENCES orders (id), line BIGINT NOT NULL,
		product TEXT NOT NULL, quantity BIGINT NOT NULL, cents BIGINT NOT NULL, PRIMARY KEY (order_id, line));
	CREATE TABLE IF NOT EXISTS refunds (order_id BIGINT PRIMARY KEY REFERENCES orders (id), cents BIGINT NOT NULL,
		reason TEXT NOT NULL, refunded TEXT NOT NULL, refunded_by TEXT NOT NULL);
	CREATE TABLE IF NOT EXISTS seeded (seed BIGINT PRIMARY KEY)`
