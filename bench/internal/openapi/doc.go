// Package openapi makes Go source of an OpenAPI document: a tool server with a func and a struct of arguments for each
// operation.
package openapi
