// Package measure has no code. Its subdirectories are an MCP client, a load generator, and what these need. They are a module
// because two others, bench and internal/lab, import them, and users of the core should not get their dependencies.
package measure
