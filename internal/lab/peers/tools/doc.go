// Package tools has the tools of all measured servers: their types, functions and
// schemas.
//
// The data is precomputed, so that the functions cost almost nothing and the measurement
// covers the server. The constraints are in the tags of this framework; the other
// libraries use the schemas derived from them ([Schemas]), so that all of them publish
// and validate the same.
package tools
