// Package fakeserver is an MCP server for tests of bench: with tools, prompts, resources, templates, completions and
// subscriptions, in every revision, over stdio and HTTP. It is independent of the framework, so that bench is not
// tested only against its own implementation. Only tests import it.
package fakeserver
