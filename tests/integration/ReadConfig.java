import java.io.FileInputStream;
import java.io.InputStream;
import java.util.Properties;

/** Reads each file as a Kafka server would and says `file: accepted` or why not. */
public class ReadConfig {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            Properties properties = new Properties();
            try (InputStream input = new FileInputStream(file)) {
                properties.load(input);
            }
            try {
                kafka.server.KafkaConfig.fromProps(properties, false);
                System.out.println(file + ": accepted");
            } catch (Exception refused) {
                System.out.println(file + ": " + refused.getMessage().replace('\n', ' '));
            }
        }
    }
}
