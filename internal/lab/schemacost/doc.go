// Package schemacost measures the cost of schemas in a tool call: validating and
// decoding the arguments, and encoding and validating the result, in this module
// and in the library used by the official Go SDK.
package schemacost
