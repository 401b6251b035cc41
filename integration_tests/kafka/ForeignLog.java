// Logs of every kind by Kafka's own clients for Java: several producers at once, with transactions that are committed, rolled
// back and left open; and what its consumer reads of them. Run from its source:
//   java -cp "libs/*" ForeignLog.java write BOOTSTRAP SEED STEPS COMPRESSION=TOPIC...   (into all partitions)
//   java -cp "libs/*" ForeignLog.java read BOOTSTRAP TOPIC...   (committed ones: a line a record, a line a partition's end)

import java.io.BufferedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.*;

public class ForeignLog {
  static final String[] NAMES = {"", "a", "b", "1", "__proto__", "ö", "constructor"};

  public static void main(String[] args) throws Exception {
    if (args[0].equals("read")) read(args[1], Arrays.copyOfRange(args, 2, args.length));
    else
      for (int i = 4; i < args.length; i++)
        write(args[1], new Random(Long.parseLong(args[2]) + i), Integer.parseInt(args[3]), args[i].split("=", 2));
    System.out.flush();
    // a transaction stays open: nothing is closed
    Runtime.getRuntime().halt(0);
  }

  static KafkaProducer<byte[], byte[]> producer(String bootstrap, String codec, String transactional, String idempotent) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("compression.type", codec);
    properties.put("enable.idempotence", idempotent);
    properties.put("linger.ms", "10000");
    properties.put("max.request.size", "20000000");
    properties.put("batch.size", "50000");
    if (transactional != null) {
      properties.put("transactional.id", transactional);
      properties.put("transaction.timeout.ms", "600000");
    }
    var made = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    if (transactional != null) made.initTransactions();
    return made;
  }

  static void write(String bootstrap, Random random, int steps, String[] codecAndTopic) throws Exception {
    String codec = codecAndTopic[0], topic = codecAndTopic[1];
    List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
    for (int i = 0; i < 4; i++) producers.add(producer(bootstrap, codec, topic + "-" + i, "true"));
    producers.add(producer(bootstrap, codec, null, "true"));
    producers.add(producer(bootstrap, codec, null, "false"));
    int partitions = producers.get(4).partitionsFor(topic).size();
    boolean[] isOpen = new boolean[producers.size()];
    for (int step = 0; step < steps; step++) {
      int who = random.nextInt(producers.size());
      var one = producers.get(who);
      if (who < 4 && !isOpen[who]) {
        one.beginTransaction();
        isOpen[who] = true;
      }
      int partition = random.nextInt(partitions);
      for (int left = random.nextInt(12); left >= 0; left--) one.send(record(topic, partition, random));
      one.flush();
      if (who < 4 && random.nextInt(3) == 0) end(one, random.nextBoolean(), isOpen, who);
    }
    // one is left open
    for (int who = 0; who < 3; who++) if (isOpen[who]) end(producers.get(who), random.nextBoolean(), isOpen, who);
  }

  static void end(KafkaProducer<byte[], byte[]> one, boolean isCommit, boolean[] isOpen, int who) {
    if (isCommit) one.commitTransaction();
    else one.abortTransaction();
    isOpen[who] = false;
  }

  static ProducerRecord<byte[], byte[]> record(String topic, int partition, Random random) {
    List<Header> headers = new ArrayList<>();
    if (random.nextInt(3) == 0)
      for (int left = random.nextInt(5); left > 0; left--)
        headers.add(new RecordHeader(NAMES[random.nextInt(NAMES.length)], bytes(random, 20)));
    return new ProducerRecord<>(topic, partition, timestamp(random), key(random), bytes(random, size(random)), headers);
  }

  static Long timestamp(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> 0L;
      case 1 -> 253402300800000L;
      case 2 -> Long.MAX_VALUE - random.nextInt(3);
      case 3 -> (long) random.nextInt(Integer.MAX_VALUE);
      default -> null;
    };
  }

  /** Of few, for compaction; also one that looks like a marker's. */
  static byte[] key(Random random) {
    int which = random.nextInt(12);
    if (which == 0) return new byte[4];
    if (which == 1) return new byte[0];
    return ("key-" + which).getBytes(StandardCharsets.UTF_8);
  }

  static int size(Random random) {
    int kind = random.nextInt(400);
    return kind == 0 ? 10_000_000 : kind < 20 ? 40_000 : 60;
  }

  static byte[] bytes(Random random, int most) {
    if (random.nextInt(10) == 0) return null;
    byte[] made = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(most)];
    if (random.nextBoolean()) random.nextBytes(made);
    return made;
  }

  static void read(String bootstrap, String[] topics) throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("isolation.level", "read_committed");
    var out = new PrintStream(new BufferedOutputStream(System.out), false, StandardCharsets.UTF_8);
    try (var consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all = new ArrayList<>();
      for (String topic : topics)
        for (var found : consumer.partitionsFor(topic)) all.add(new TopicPartition(topic, found.partition()));
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      while (all.stream().anyMatch(one -> consumer.position(one) < ends.get(one)))
        for (var record : consumer.poll(Duration.ofMillis(200))) print(out, record);
      for (var one : all) out.println("end " + one.topic() + " " + one.partition() + " " + ends.get(one));
    }
    out.flush();
  }

  static void print(PrintStream out, ConsumerRecord<byte[], byte[]> record) throws Exception {
    StringBuilder headers = new StringBuilder();
    for (Header header : record.headers())
      headers.append(' ').append(hex(header.key().getBytes(StandardCharsets.UTF_8))).append('=').append(hex(header.value()));
    out.println(record.topic() + " " + record.partition() + " " + record.offset() + " " + record.timestamp() + " "
        + hex(record.key()) + " " + hex(record.value()) + headers);
  }

  /** Of what is long, a digest. */
  static String hex(byte[] bytes) throws Exception {
    if (bytes == null) return "null";
    if (bytes.length <= 64) return HexFormat.of().formatHex(bytes);
    return bytes.length + ":" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)).substring(0, 16);
  }
}
