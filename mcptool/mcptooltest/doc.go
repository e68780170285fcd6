// Package mcptooltest calls tools from tests with Go values, through everything
// that stands between a client and the func: the arguments are written as JSON,
// checked and decoded, the result is encoded, checked and read back.
//
//	out := mcptooltest.Call[WeatherIn, WeatherOut](t, tool, WeatherIn{Location: "Lisbon"})
//
// For tools that ask the user there is a [Client] that answers, either while the tool waits
// or by having it run again:
//
//	user := &mcptooltest.Client{Answers: []any{Seat{Class: "1"}, true}, Replay: true}
//	out := mcptooltest.CallAs[BookIn, BookOut](t, user, tool, BookIn{From: "Lisbon", To: "Porto"})
//
// The client may be somebody, with Principal and Scopes, and keeps what the tools report and log
// ([Client.ProgressReports], [Client.LogRecords]). [StartTask] runs a call as a task:
//
//	task := mcptooltest.StartTask(t, &mcptooltest.Client{}, tool, ExportIn{Year: 2026})
//	out := mcptooltest.AwaitTask[ExportOut](t, task)
//
// # All tools at once
//
// [Check] tries all tools of a registry through the engine, in every revision of the protocol, with
// calls made from their schemas: at their edges, and just beyond. [Bench] measures them, and [Fuzz]
// goes on looking where Check has ended:
//
//	func TestTools(t *testing.T)       { mcptooltest.Check(t, registry) }
//	func BenchmarkTools(b *testing.B)  { mcptooltest.Bench(b, registry) }
//	func FuzzGetWeather(f *testing.F)  { mcptooltest.Fuzz(f, weather) }
//
// Options say what schemas do not: arguments that are known to be good, the answers of a user, which
// tools may run although they destroy something.
//
// [AssertCompatible] holds the tools against a snapshot of them, and says what a change breaks:
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
package mcptooltest
