// Package mcptooltest calls tools from tests with Go values, with everything that happens between a client and the func:
// the arguments are encoded as JSON, checked and decoded, the result is encoded, checked and decoded.
//
//	out := mcptooltest.Call[WeatherIn, WeatherOut](t, tool, WeatherIn{Location: "Lisbon"})
//
// For tools that ask the user, a [Client] answers, either while the tool waits or by running it again:
//
//	user := &mcptooltest.Client{Answers: []any{Seat{Class: "1"}, true}, Replay: true}
//	out := mcptooltest.CallAs[BookIn, BookOut](t, user, tool, BookIn{From: "Lisbon", To: "Porto"})
//
// The client may have a Principal and Scopes, and records the progress and the log of the tools ([Client.ProgressReports],
// [Client.LogRecords]). [StartTask] runs a call as a task:
//
//	task := mcptooltest.StartTask(t, &mcptooltest.Client{}, tool, ExportIn{Year: 2026})
//	out := mcptooltest.AwaitTask[ExportOut](t, task)
//
// # All tools at once
//
// [Check] tests all tools of a registry through the engine, in every revision of the protocol, with calls generated from
// their schemas: at their edges, and just beyond. [Bench] measures them, and [Fuzz] continues from the calls of Check:
//
//	func TestTools(t *testing.T)       { mcptooltest.Check(t, registry) }
//	func BenchmarkTools(b *testing.B)  { mcptooltest.Bench(b, registry) }
//	func FuzzGetWeather(f *testing.F)  { mcptooltest.Fuzz(f, weather) }
//
// Options provide what schemas do not: arguments that are known to be valid, the answers of a user, which tools may run
// although they destroy something.
//
// [AssertCompatible] compares the tools with a snapshot, and reports what a change breaks:
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
package mcptooltest
