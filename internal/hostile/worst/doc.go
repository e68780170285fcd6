// Command worst searches for the message that costs a server most, within its default limits:
//
//	go run ./internal/hostile/worst -for 1h -seed 7
//
// It looks at one tool after the other: tools of Go types with every kind of field and tag (typed.go), tools whose
// schemas are written by hand and hold what is costly to check (byhand.go), and tools whose schemas it makes up out of
// the same keywords (generate.go), as far as they can be registered. Requests for other methods than tools/call are tried
// as well. For each it begins with messages made of the schema and its samples (seeds.go), changes them at random
// (mutate.go), and goes on with those that have cost most: CPU time and peak memory, in all and per byte. A message is
// described by what repeats in it and how often (value.go), so that one of 16 MiB is as short as one of 16 bytes, and
// the same one exists at all sizes. Most are tried at some kilobytes, and only the most promising as large as the limits
// allow.
//
// The server is a process of its own, this program once more (child.go), which package stdio serves with default limits.
// The CPU time is that of the process, from before the message is written until its answer is read, collection of
// garbage included; the memory is the peak of its resident pages above those before. A server that takes more than a
// gigabyte, or no answer in two minutes, ends that process and is a find like others.
//
// In the end the finds are measured again in fresh processes, and printed: the cost, the exponents n^… with which CPU time
// and memory grow with the part of the message that repeats, how the message was answered, the schema, and the message,
// in which ×n is what repeats.
// The status is 1 if one of them takes more than 5 s of CPU (-cpu) or 256 MB (-memory), or grows faster than n^1.4.
// Whatever is taken in counts, also where its arguments are refused. With -out the finds are written to files, and
// -replay measures one of those again:
//
//	go run ./internal/hostile/worst -for 10m -out finds
//	go run ./internal/hostile/worst -replay finds/00.json
//
// What is made up, schemas and messages, depends on -seed alone; how far a run comes, and what it goes on with, depends on
// the machine. It needs Linux, which alone tells the peak of a process's memory. The tests search for some seconds, and
// measure the finds of earlier searches in testdata.
package main
