// Package measure is the root of a module without code of its own: an MCP client, a load generator and their helpers. The
// modules bench and internal/lab import them. They are a module so that the core does not require their dependencies.
package measure
