// Writes records with Kafka's own client for Java. Run from its source:
//   java -cp "libs/*" ForeignProducer.java BOOTSTRAP RECORDS COMPRESSION=TOPIC... [NAME:VALUE of the producer...]
// RECORDS is a file of keys and values in turn: each its length (int, -1 for null) and its bytes.

import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

public class ForeignProducer {
  record Pair(byte[] key, byte[] value) {}

  public static void main(String[] args) throws Exception {
    List<Pair> pairs = read(Path.of(args[1]));
    Properties more = new Properties();
    for (int i = 2; i < args.length; i++)
      if (args[i].contains(":")) more.put(args[i].split(":")[0], args[i].split(":")[1]);
    for (int i = 2; i < args.length; i++)
      if (args[i].contains("=")) send(args[0], args[i].split("=")[0], args[i].split("=")[1], pairs, more);
  }

  static void send(String bootstrap, String compression, String topic, List<Pair> pairs, Properties more)
      throws Exception {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", bootstrap);
    properties.put("compression.type", compression);
    properties.put("acks", "all");
    properties.put("linger.ms", "20");
    properties.putAll(more);
    try (var producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<Future<?>> sent = new ArrayList<>();
      for (Pair pair : pairs) sent.add(producer.send(new ProducerRecord<>(topic, 0, pair.key(), pair.value())));
      // whatever lingers: batches are as large as they may be, and nobody waits
      producer.flush();
      for (Future<?> one : sent) one.get();
    }
  }

  static List<Pair> read(Path file) throws Exception {
    List<Pair> pairs = new ArrayList<>();
    try (var input = new DataInputStream(Files.newInputStream(file))) {
      while (true) pairs.add(new Pair(bytes(input), bytes(input)));
    } catch (EOFException end) {
      return pairs;
    }
  }

  static byte[] bytes(DataInputStream input) throws Exception {
    int length = input.readInt();
    if (length < 0) return null;
    byte[] bytes = new byte[length];
    input.readFully(bytes);
    return bytes;
  }
}
