// Command worst searches for the most expensive message for a server, within its default limits:
//
//	go run ./internal/hostile/worst -for 1h -seed 7
//
// It examines one tool after the other: tools of Go types with every kind of field and tag (typed.go), tools with
// handwritten schemas with keywords that are costly to check (byhand.go), and tools with schemas generated from the
// same keywords (generate.go), as far as they can be registered. It also tries requests for methods other than
// tools/call. For each tool it starts with messages derived from the schema and its samples (seeds.go), mutates them at
// random (mutate.go), and continues with the most expensive ones: in CPU time and peak memory, in total and per byte. A
// message is described by its repeated parts and their counts (value.go), so that the description of a message of
// 16 MiB is as short as that of one of 16 bytes, and the same message exists at all sizes. Most are tried at some
// kilobytes, and only the most promising at the limits.
//
// The server is a separate process, another instance of this program (child.go), served by package stdio with default
// limits. The CPU time is measured for the process, from before the message is written until its response is read,
// including garbage collection; the memory is the peak of resident pages above those before. If a server takes more
// than a gigabyte, or does not respond within two minutes, its process is killed, which is also a find.
//
// At the end the finds are measured again in fresh processes, and printed: the cost, the exponents n^… by which CPU
// time and memory grow with the repeated part of the message, the kind of response, the schema, and the message, with
// ×n after the repeated part. The exit code is 1 if one of them takes more than 5 s of CPU (-cpu) or 256 MB (-memory),
// or grows faster than n^1.4. Every accepted message counts, even if its arguments are rejected. With -out the finds
// are written to files, and -replay measures one of those again:
//
//	go run ./internal/hostile/worst -for 10m -out finds
//	go run ./internal/hostile/worst -replay finds/00.json
//
// Generated schemas and messages depend only on -seed; the progress of a run and its selection depend on the machine.
// It requires Linux, the only system that reports the peak memory of a process. The tests search for some seconds, and
// measure the finds of earlier searches in testdata.
package main
