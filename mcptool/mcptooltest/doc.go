// Package mcptooltest calls tools from tests with Go values, through everything
// that stands between a client and the func: the arguments are written as JSON,
// checked and decoded, the result is encoded, checked and read back.
//
//	out := mcptooltest.Call[WeatherIn, WeatherOut](t, tool, WeatherIn{Location: "Lisbon"})
package mcptooltest
