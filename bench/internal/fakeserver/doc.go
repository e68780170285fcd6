// Package fakeserver is an MCP server for tests of bench: with tools, prompts, resources, templates, completion and
// subscriptions, in every revision, over stdio and HTTP. It is made of maps and funcs alone, with nothing of the framework,
// so that bench is not tested with its own idea of a server. Only tests import it.
package fakeserver
