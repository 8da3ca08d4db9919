// Package journal publishes lifecycle events without ever making a send wait for
// them, and drops none unseen.
//
//	Publish ──> queue in memory ──> segment files ──> Kafka
//
// Publish puts an event into a bounded queue and returns. One goroutine appends
// what is queued to the last segment file of a folder, as lines of JSON, in groups.
// Without Kafka these files are the product: 00000000000000000001.jsonl and so on, each
// closed when it has reached its size. A closed one may be taken away at any time.
//
// With Kafka another goroutine reads the segments and produces their lines as
// records, under the call's id as key, so that the events of a call stay in order. It
// moves its cursor, a file beside the segments, only when all in-sync replicas have
// acknowledged the records, and deletes segments behind it. So an event arrives at
// least once, whether Kafka is away for an hour or the process is killed. What
// arrives twice has the same id both times.
//
// What does get lost is counted by reason, logged, and no more than this: events that
// find the queue or the folder full, events that the disk does not take, a line
// that was half written when the process died. A machine that loses its power also
// loses what the kernel had not yet put on the disk: to wait for that would cost the
// disk on which sends depend a sync per group.
//
// # A real cluster
//
// [KafkaFromEnv] reads where it is:
//
//	KAFKA_BROKERS    kafka-1:9093,kafka-2:9093; without it there is no Kafka
//	KAFKA_TOPIC      the topic, auth.sms.lifecycle.v1 unless set; it must exist
//	KAFKA_TLS        true: connect by TLS
//	KAFKA_CA_FILE    the authorities that sign the brokers' certificates, in PEM;
//	                 those of the system unless set
//	KAFKA_USER       the user of SASL PLAIN, for which TLS is demanded
//	KAFKA_PASSWORD   its password
//
// The user needs the right to write to the topic and, on brokers before 3.0, that of
// IdempotentWrite on the cluster. Other mechanisms are Options of [Kafka]:
//
//	kafka.Options = append(kafka.Options, kgo.SASL(scram.Auth{User: user, Pass: pass}.AsSha512Mechanism()))
package journal
