import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The customer's device, on the other side of a pipe: it has the key of the session, the backend has not. */
final class Device {
  private final ObjectMapper mapper = new ObjectMapper();
  private final BufferedReader answers =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

  String seal(String bundle, String account) throws IOException {
    return ask(Map.of("ask", "seal", "bundle", bundle, "accountId", account)).asText();
  }

  String approveSignIn(String payload, String account) throws IOException {
    return ask(Map.of("ask", "approveSignIn", "payload", payload, "accountId", account)).asText();
  }

  String approve(String payload, String account, String quote) throws IOException {
    return ask(Map.of("ask", "approve", "payload", payload, "accountId", account, "quoteId", quote)).asText();
  }

  JsonNode webhook() throws IOException {
    return ask(Map.of("ask", "webhook"));
  }

  void finish(Map<String, Object> outcome) throws IOException {
    System.out.println(mapper.writeValueAsString(Map.of("outcome", outcome)));
  }

  private JsonNode ask(Map<String, String> question) throws IOException {
    System.out.println(mapper.writeValueAsString(question));
    return mapper.readTree(answers.readLine());
  }
}
