// Package schemacost holds the measurement of what schemas cost a tool call: the
// arguments checked and read, the result written and checked, by this module and
// by the library under the official Go SDK.
package schemacost
