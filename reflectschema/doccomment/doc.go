// Package doccomment makes doc comments descriptions: of fields, types and constants, and of tools,
// prompts and resources by their funcs. A program cannot read its own comments, so the command
// bench comments writes them into a Go file, which registers them:
//
//	type generatedComments [][2]string
//
//	var _ = doccomment.Register(generatedComments{
//		{"#GetWeather", "Climate at a place, as averages over 30 years."},
//		{"#WeatherIn.Location", "City name, e.g. Lisbon."},
//		{"#Unit=celsius", "Degrees Celsius."},
//		{"example.com/geo#Point.Lat", "Degrees north of the equator."},
//	})
//
// Only such files import this package; programs without them do not link it.
//
// Tags and options take precedence. A field whose tags have no description gets its comment,
// otherwise the comment of its type; the comments of the constants that its schema lists follow.
// Comments of the types of arguments and results are not used. With enum=const in a jsonschema tag,
// the schema lists the values of all constants of the type.
package doccomment
