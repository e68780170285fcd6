// Package private has the types that packages of this module share with each other and not with programs. [Key] is the
// parameter of their functions Internal, which return the functions that are missing in the public API:
//
//	var schemas = reflectschema.Internal(private.Key{})
//
// The other types are parameters and results of these functions.
package private
