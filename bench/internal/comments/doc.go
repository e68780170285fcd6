// Package comments writes Go files with the doc comments of tools, prompts and resources, and of
// the types of their arguments and results, in the form that package reflectschema/doccomment
// registers.
package comments
