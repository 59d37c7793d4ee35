import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * Hadoop's servers in one JVM: HDFS, a ResourceManager and NodeManagers, with the settings of the class path.
 *
 * <p>Arguments: a folder for data, and the number of NodeManagers. Prints "ready". Then it answers each line of the
 * input, and ends the answer with "end". "list": the paths of all files in HDFS, one a line. "stop 2", "start 2": a
 * NodeManager. The end of the input ends the servers.
 */
public final class HadoopServers {
    private static final Map<Integer, NodeManager> NODES = new ConcurrentHashMap<>();

    public static void main(String[] arguments) throws Exception {
        File home = new File(arguments[0]);
        int nodes = Integer.parseInt(arguments[1]);
        DefaultMetricsSystem.setMiniClusterMode(true);
        ExecutorService pool = Executors.newCachedThreadPool();
        CompletionService<Object> servers = new ExecutorCompletionService<>(pool);
        servers.submit(HadoopServers::hdfs);
        servers.submit(HadoopServers::resourceManager);
        for (int node = 1; node <= nodes; node++) {
            int number = node;
            servers.submit(() -> nodeManager(home, number));
        }
        try {
            for (int started = 0; started < nodes + 2; started++) {
                servers.take().get();
            }
            answer(home);
        } catch (Exception fault) {
            fault.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private static Object hdfs() throws Exception {
        NameNode.format(new YarnConfiguration());
        NameNode.createNameNode(new String[0], new YarnConfiguration());
        return DataNode.createDataNode(new String[0], new YarnConfiguration());
    }

    private static Object resourceManager() {
        ResourceManager manager = new ResourceManager();
        manager.init(new YarnConfiguration());
        manager.start();
        return manager;
    }

    private static Object nodeManager(File home, int number) {
        File place = new File(home, "node" + number);
        YarnConfiguration settings = new YarnConfiguration();
        settings.set(YarnConfiguration.NM_LOCAL_DIRS, new File(place, "local").getPath());
        settings.set(YarnConfiguration.NM_LOG_DIRS, new File(place, "logs").getPath());
        NodeManager manager = new NodeManager();
        manager.init(settings);
        manager.start();
        NODES.put(number, manager);
        return manager;
    }

    private static void answer(File home) throws Exception {
        FileSystem files = FileSystem.get(new YarnConfiguration());
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        String line;
        while ((line = asked.readLine()) != null) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "list" -> list(files);
                case "stop" -> NODES.remove(Integer.valueOf(words[1])).stop();
                case "start" -> nodeManager(home, Integer.parseInt(words[1]));
                default -> throw new IllegalArgumentException(line);
            }
            System.out.println("end");
        }
    }

    private static void list(FileSystem files) throws Exception {
        RemoteIterator<LocatedFileStatus> found = files.listFiles(new Path("/"), true);
        while (found.hasNext()) {
            System.out.println(found.next().getPath().toUri().getPath());
        }
    }
}
