// The head of every live page, what it says of its connection, and how a part of a page is fetched.

/** The bar above the page, with what the reader can choose. */
function drawHead() {
  document.getElementById("head").replaceChildren(make("div", { class: "bar" },
    make("a", { href: "#", class: "home" }, "Bräde arena"),
    make("p", { id: "connection", class: "quiet", role: "status" }),
    make("div", { class: "choices" }, languageButtons(), themeButton())));
  document.querySelector(".skip").textContent = say("To the content");
  document.getElementById("foot").replaceChildren(make("p", {}, SOURCE.footer));
}

/** Say that the connection is lost, or nothing. */
function showConnection(words) {
  const node = document.getElementById("connection");
  if (node.textContent !== words) node.textContent = words;
}

/** Say something to those who hear the page. */
function announce(words) {
  document.getElementById("announcer").textContent = words;
}

/** The answer to a request, from JSON; raises an error with the server's own sentence. */
async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error((await answer.text()).trim() || say("The server has no answer ({status}).", { status: answer.status }));
  return answer.json();
}

/** Raised where something is not in the page; its words are the reader's. */
class NotHere extends Error {}

/** What to show where something could not be fetched. */
function troubleOf(error) {
  return make("p", { class: "notice bad", role: "alert" }, error instanceof NotHere ? error.message : error instanceof TypeError ? say("The server does not answer.") : toldSpan(error.message));
}

/** How long ago something was, in words that change slowly. */
function ago(ms) {
  const seconds = Math.max(0, Math.round((Date.now() - ms) / 1000));
  if (seconds < 60) return say("just now");
  if (seconds < 3600) return say("{count} min ago", { count: Math.floor(seconds / 60) });
  if (seconds < 172800) return say("{count} h ago", { count: Math.floor(seconds / 3600) });
  return moment(ms);
}
