"use strict";
(() => {
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __esm = (fn, res, err) => function __init() {
    if (err) throw err[0];
    try {
      return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
    } catch (e) {
      throw err = [e], e;
    }
  };
  var __commonJS = (cb, mod) => function __require() {
    try {
      return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
    } catch (e) {
      throw mod = 0, e;
    }
  };

  // nodes/editor/element.ts
  function element(tag, properties = {}, ...content) {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...content);
    return made;
  }
  var init_element = __esm({
    "nodes/editor/element.ts"() {
      "use strict";
    }
  });

  // nodes/sidebar/editor/text.ts
  function text(key, values = {}) {
    const given = [];
    const signs = Object.entries(values).map(([name, value]) => [
      name,
      String.fromCodePoint(FIRST_SIGN + given.push(String(value)) - 1)
    ]);
    return RED._(`@media-gateway/node-red/sidebar:${key}`, Object.fromEntries(signs)).replace(
      SIGNS,
      (sign) => given[sign.codePointAt(0) - FIRST_SIGN] ?? sign
    );
  }
  var FIRST_SIGN, SIGNS;
  var init_text = __esm({
    "nodes/sidebar/editor/text.ts"() {
      "use strict";
      FIRST_SIGN = 57344;
      SIGNS = /[\ue000-\ue00f]/g;
    }
  });

  // nodes/sidebar/editor/api.ts
  function ask(method, path, body, timeout = TIMEOUT_MS) {
    return new Promise((resolve) => {
      $.ajax({
        url: `media-gateway/${path}`,
        method,
        dataType: "json",
        cache: false,
        timeout,
        ...body && { contentType: "application/json", data: JSON.stringify(body) },
        success: (answer) => resolve({ answer }),
        error: (reply) => resolve({ failure: failureOf(reply) })
      });
    });
  }
  function failureOf({ status, responseJSON }) {
    const { code, message } = responseJSON ?? {};
    if (message !== void 0) return { code, message };
    if (status === 0) return { message: text("fault.noNodeRed") };
    if (status === 401 || status === 403) return { message: text("fault.forbidden") };
    return { message: text("fault.status", { status }) };
  }
  var listGateways, askState, askDevices, control, mayControl, TIMEOUT_MS, CONTROL_TIMEOUT_MS;
  var init_api = __esm({
    "nodes/sidebar/editor/api.ts"() {
      "use strict";
      init_text();
      listGateways = () => ask("GET", "gateways");
      askState = (question) => ask("POST", "state", question);
      askDevices = (id) => ask("POST", "lookup", { connection: { id } });
      control = (id, command) => ask("POST", "control", { id, ...command }, CONTROL_TIMEOUT_MS);
      mayControl = () => RED.user.hasPermission?.("media-gateway.write") ?? true;
      TIMEOUT_MS = 15e3;
      CONTROL_TIMEOUT_MS = 12e4;
    }
  });

  // nodes/sidebar/editor/route.ts
  function toneOf({ summaryStatusCode: code }, runs) {
    if (code === "warn" || code === "error") return code;
    if (!runs) return "off";
    return code === "ok" ? "ok" : "unknown";
  }
  function chosen(routes, words, filter) {
    const wanted = words.trim().toLowerCase();
    return routes.filter(
      (route) => IS[filter](route) && (route.name.toLowerCase().includes(wanted) || route.id.toLowerCase().includes(wanted))
    );
  }
  var isRunning, isOn, isConnected, FILTERS, IS, names, byName;
  var init_route = __esm({
    "nodes/sidebar/editor/route.ts"() {
      "use strict";
      isRunning = ({ state }) => state === "running";
      isOn = ({ started }) => started !== false;
      isConnected = ({ state }) => state === "connected";
      FILTERS = ["all", "running", "idle", "problem"];
      IS = {
        all: () => true,
        running: isRunning,
        idle: (route) => !isRunning(route),
        problem: (route) => ["warn", "error"].includes(toneOf(route, isRunning(route)))
      };
      names = new Intl.Collator(void 0, { numeric: true });
      byName = (routes) => [...routes].sort((one, other) => names.compare(one.name, other.name));
    }
  });

  // nodes/sidebar/editor/commands.ts
  function createCommands() {
    const sent = /* @__PURE__ */ new Map();
    return {
      get isWaiting() {
        return sent.size > 0;
      },
      waiting: (target) => sent.get(keyOf(target))?.action,
      send: (command) => void sent.set(keyOf(command), { ...command }),
      accepted(target) {
        const command = sent.get(keyOf(target));
        if (command) command.acceptedAt = Date.now();
      },
      refused: (target) => void sent.delete(keyOf(target)),
      /** Takes out what has come about, and what has not for long. */
      settle(routes) {
        const done = [];
        const late = [];
        for (const [key, command] of sent) {
          if (command.acceptedAt === void 0) continue;
          const state = isOnAir(routes, command);
          const isLate = Date.now() - command.acceptedAt > LIMIT_MS;
          if (state === (command.action === "start")) done.push(command);
          else if (state !== void 0 && isLate) late.push(command);
          else if (state !== void 0) continue;
          sent.delete(key);
        }
        return { done, late };
      }
    };
  }
  function isOnAir(routes, { routeId, destinationId }) {
    const route = routes.find(({ id }) => id === routeId);
    if (!route || destinationId === void 0) return route && isRunning(route);
    const destination = route.destinations.find(({ id }) => id === destinationId);
    return destination && isOn(destination);
  }
  var LIMIT_MS, keyOf;
  var init_commands = __esm({
    "nodes/sidebar/editor/commands.ts"() {
      "use strict";
      init_route();
      LIMIT_MS = 6e4;
      keyOf = ({ routeId, destinationId = "" }) => `${routeId} ${destinationId}`;
    }
  });

  // nodes/sidebar/editor/confirm.ts
  function askFirst(place, { question, effect, yes, no }, onAnswer) {
    const id = `media-gateway-sidebar-question-${counter++}`;
    const button2 = (words, answer, more) => {
      const made = element("button", {
        type: "button",
        className: `media-gateway-sidebar-button ${more}`,
        textContent: words
      });
      made.addEventListener("click", ({ detail }) => {
        if (detail < 2) end(answer);
      });
      return made;
    };
    const cancel = button2(no, false, "");
    const effectLine = element("div", { id: `${id}-effect` }, effect);
    const box = element(
      "div",
      { className: "media-gateway-sidebar-question" },
      element("strong", { id }, question),
      effectLine,
      element(
        "div",
        { className: "media-gateway-sidebar-answers" },
        cancel,
        button2(yes, true, "media-gateway-sidebar-yes")
      )
    );
    box.setAttribute("role", "alertdialog");
    box.setAttribute("aria-labelledby", id);
    box.setAttribute("aria-describedby", `${id}-effect`);
    box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Escape") end(false);
    });
    function end(answer) {
      box.remove();
      onAnswer(answer);
    }
    place.replaceChildren(box);
    cancel.focus();
    return {
      update(words) {
        if (effectLine.textContent !== words) effectLine.textContent = words;
      },
      takeBack: () => box.remove()
    };
  }
  var counter;
  var init_confirm = __esm({
    "nodes/sidebar/editor/confirm.ts"() {
      "use strict";
      init_element();
      counter = 0;
    }
  });

  // nodes/sidebar/editor/labels.ts
  function stateOf({ state = "" }) {
    if (STATES.has(state)) return text(`state.${state.replace(" ", "-")}`);
    return state === "" ? text("state.unknown") : state;
  }
  function summaryOf(route, isOld = false) {
    const runs = isRunning(route);
    const { source, destinations } = route;
    const words = text(`route.${isOld ? "was" : "is"}.${runs ? "running" : "idle"}`);
    const all = destinations.length;
    if (!runs) return `${withTone(words, toneOf(route, runs))} \xB7 ${text("route.has", { all })}`;
    const on = destinations.filter(isOn);
    const connected = on.filter(isConnected).length;
    const parts = [
      withTone(words, toneOf(route, runs)),
      text("route.source", { state: stateOf(source) }),
      text("route.destinations", { connected, all: on.length })
    ];
    if (on.length < all) parts.push(text("route.off", { off: all - on.length }));
    return parts.join(" \xB7 ");
  }
  function partSummary(part2, isOld) {
    const state = isOn(part2) ? stateOf(part2) : text("state.off");
    return withTone(isOld ? text("state.was", { state }) : state, toneOf(part2, isOn(part2)));
  }
  function addressOf({ protocol = "", address, port }) {
    const host = address?.includes(":") ? `[${address}]` : address ?? "";
    return [protocol.toUpperCase(), port === void 0 ? host : `${host}:${port}`].join(" ").trim();
  }
  function mark() {
    return element("i", { className: "media-gateway-sidebar-mark", ariaHidden: "true" });
  }
  var STATES, withTone;
  var init_labels = __esm({
    "nodes/sidebar/editor/labels.ts"() {
      "use strict";
      init_element();
      init_route();
      init_text();
      STATES = /* @__PURE__ */ new Set([
        "stopped",
        "disconnected",
        "connecting",
        "connection established",
        "connected"
      ]);
      withTone = (words, tone) => tone === "warn" || tone === "error" ? `${words}, ${text(`tone.${tone}`)}` : words;
    }
  });

  // nodes/sidebar/editor/row.ts
  function createRow(height) {
    const sign = mark();
    const name = element("span", { className: "media-gateway-sidebar-name" });
    const summary = element("span", { className: "media-gateway-sidebar-summary" });
    const button2 = element("button", {
      type: "button",
      className: "media-gateway-sidebar-button"
    });
    const about = element("div", { className: "media-gateway-sidebar-about" }, name, summary);
    const action = element("div", {}, button2);
    const row = element("div", { className: "media-gateway-sidebar-row" }, sign, about, action);
    row.setAttribute("role", "row");
    for (const cell of [about, action]) cell.setAttribute("role", "gridcell");
    row.style.height = `${height}px`;
    return {
      element: row,
      button: button2,
      show(route, { index, top, isActive, isSelected, isOld, isGone, waiting, mayControl: mayControl2 }) {
        const runs = isRunning(route);
        row.classList.toggle("media-gateway-sidebar-old", isOld || isGone);
        sign.dataset["tone"] = waiting ? "waiting" : toneOf(route, runs);
        set(name, route.name);
        name.title = route.name;
        set(summary, summaryWords(route, { isOld, isGone, waiting }));
        summary.title = summary.textContent ?? "";
        action.hidden = !mayControl2 || isGone;
        button2.setAttribute("aria-disabled", String(waiting !== void 0 || isOld));
        button2.title = isOld ? text("old") : "";
        set(button2, text(runs ? "stop" : "start"));
        button2.setAttribute("aria-label", controlLabel(runs ? "stop" : "start", route.name, isOld));
        row.dataset["route"] = route.id;
        row.style.top = `${top}px`;
        row.setAttribute("aria-rowindex", String(index + 1));
        row.setAttribute("aria-selected", String(isSelected));
        row.tabIndex = button2.tabIndex = isActive ? 0 : -1;
      }
    };
  }
  function summaryWords(route, { isOld, isGone, waiting }) {
    if (isGone) return text("route.gone");
    return waiting ? text(`waiting.${waiting}`) : summaryOf(route, isOld);
  }
  function controlLabel(verb, name, isOld) {
    const label = text(`label.${verb}`, { name });
    return isOld ? `${label}: ${text("old")}` : label;
  }
  function set(shown, words) {
    if (shown.textContent !== words) shown.textContent = words;
  }
  var init_row = __esm({
    "nodes/sidebar/editor/row.ts"() {
      "use strict";
      init_element();
      init_route();
      init_text();
      init_labels();
    }
  });

  // nodes/sidebar/editor/details.ts
  function createDetails(options) {
    const content = element("div");
    const box = element(
      "div",
      {
        className: "media-gateway-sidebar-details",
        hidden: true
      },
      content
    );
    box.setAttribute("role", "region");
    let shown;
    let drawn = "";
    content.addEventListener("click", ({ target }) => {
      const pressed = target instanceof Element ? target.closest("button") : null;
      if (!shown || !pressed) return;
      const { destination, act } = pressed.dataset;
      if (act === "copy") {
        RED.clipboard.copyText(shown.id, $(pressed), "clipboard.copyMessageValue");
      } else if (act === "close") options.onClose();
      else if (destination !== void 0 && pressed.ariaDisabled !== "true") {
        options.onControl(shown.id, destination);
      }
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      options.onClose();
    });
    function draw(route) {
      const isOld = options.isOld();
      const parts = [
        part(route.source, text("source"), isOld),
        ...route.destinations.map(
          (destination) => part(destination, text("destination"), isOld, controlOf(route, destination))
        )
      ];
      return [
        element(
          "div",
          { className: "media-gateway-sidebar-line" },
          element("code", { textContent: route.id, title: route.id }),
          button(text("copy"), { act: "copy" }),
          button(text("close"), { act: "close" })
        ),
        element("ul", {}, ...parts)
      ];
    }
    function controlOf(route, destination) {
      const { id, name = "" } = destination;
      if (id === void 0 || !isRunning(route) || !options.mayControl()) return void 0;
      const waiting = options.waiting(route.id, id);
      const isOld = options.isOld();
      const verb = isOn(destination) ? "stop" : "start";
      const made = button(text(waiting ? `waiting.${waiting}` : verb), { destination: id });
      if (!waiting) made.ariaLabel = controlLabel(verb, name, isOld);
      if (isOld) made.title = text("old");
      made.ariaDisabled = String(waiting !== void 0 || isOld);
      return made;
    }
    return {
      element: box,
      show(route) {
        shown = route;
        box.hidden = route === void 0;
        if (!route) {
          drawn = "";
          return content.replaceChildren();
        }
        const waiting = route.destinations.map(({ id }) => id && options.waiting(route.id, id));
        const now = JSON.stringify([route, waiting, options.mayControl(), options.isOld()]);
        if (now === drawn) return;
        drawn = now;
        box.classList.toggle("media-gateway-sidebar-old", options.isOld());
        box.setAttribute("aria-label", text("details", { name: route.name }));
        const focused = keyOf3(document.activeElement);
        content.replaceChildren(...draw(route));
        if (focused) content.querySelector(focused)?.focus();
      },
      focusButton(destinationId) {
        content.querySelector(`[data-destination="${CSS.escape(destinationId)}"]`)?.focus();
      }
    };
    function keyOf3(focused) {
      if (!(focused instanceof HTMLElement) || !content.contains(focused)) return void 0;
      const [name, value] = Object.entries(focused.dataset)[0] ?? [];
      return name && `[data-${name}="${CSS.escape(value ?? "")}"]`;
    }
  }
  function part(shown, kind, isOld, control2) {
    const sign = mark();
    sign.dataset["tone"] = toneOf(shown, isOn(shown) && shown.state !== "stopped");
    const name = element("span", {
      className: "media-gateway-sidebar-name",
      title: shown.name ?? "",
      textContent: shown.name ?? ""
    });
    const told = [`${kind}: ${partSummary(shown, isOld)}`, addressOf(shown)].filter(Boolean);
    const summary = element("span", {
      className: "media-gateway-sidebar-summary",
      textContent: told.join(" \xB7 ")
    });
    summary.title = summary.textContent ?? "";
    const about = element("div", { className: "media-gateway-sidebar-about" }, name, summary);
    return element("li", {}, sign, about, ...control2 ? [control2] : []);
  }
  function button(words, data) {
    const made = element("button", {
      type: "button",
      className: "media-gateway-sidebar-button",
      textContent: words
    });
    Object.assign(made.dataset, data);
    return made;
  }
  var init_details = __esm({
    "nodes/sidebar/editor/details.ts"() {
      "use strict";
      init_element();
      init_route();
      init_row();
      init_text();
      init_labels();
    }
  });

  // nodes/sidebar/editor/list.ts
  function createList(options) {
    const { details } = options;
    const grid = element("div", { className: "media-gateway-sidebar-rows" });
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", options.label);
    const view = element("div", { className: CLASS }, grid, details);
    view.tabIndex = -1;
    let routes = [];
    let present = /* @__PURE__ */ new Set();
    let selected;
    let active;
    const rows = /* @__PURE__ */ new Map();
    view.addEventListener("scroll", draw, { passive: true });
    const sizes = new ResizeObserver(draw);
    sizes.observe(view);
    sizes.observe(details);
    view.addEventListener("mouseleave", releaseSoon);
    view.addEventListener("focusout", releaseSoon);
    grid.addEventListener("click", ({ target }) => {
      const id = routeAt(target);
      if (id === void 0) return;
      active = id;
      if (isButton(target)) press(id);
      else select(id);
      draw();
    });
    grid.addEventListener("keydown", (event) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || routes.length === 0) return;
      const id = routeAt(target);
      if (id === void 0) return;
      if (key in STEPS) moveTo(indexOf(id) + STEPS[key](pageSize()), isButton(target));
      else if (key === "ArrowRight") rows.get(id)?.button.focus();
      else if (key === "ArrowLeft") rows.get(id)?.element.focus();
      else if ((key === "Enter" || key === " ") && !isButton(target)) select(id);
      else return;
      event.stopPropagation();
      if (!isButton(target) || key !== "Enter" && key !== " ") event.preventDefault();
    });
    function press(id) {
      if (options.waiting(id) === void 0 && !options.isOld()) options.onControl(id);
    }
    function select(id) {
      const place = topOf(indexOf(id)) - view.scrollTop;
      options.onSelect(id);
      view.scrollTop = topOf(indexOf(id)) - place;
      draw();
      if (selected === void 0) return;
      details.scrollIntoView({ block: "nearest" });
      rows.get(id)?.element.scrollIntoView({ block: "nearest" });
    }
    const isHeld = () => view.matches(":hover, :focus-within");
    function releaseSoon() {
      requestAnimationFrame(() => {
        if (!isHeld()) options.onRelease();
      });
    }
    const routeAt = (target) => target instanceof Element ? target.closest("[data-route]")?.dataset["route"] : void 0;
    const isButton = (target) => target instanceof Element && target.closest("button") !== null;
    const indexOf = (id) => routes.findIndex((route) => route.id === id);
    const pageSize = () => Math.max(1, Math.floor(view.clientHeight / ROW_HEIGHT) - 1);
    function gap() {
      const above = details.hidden ? 0 : indexOf(selected) + 1;
      return above === 0 ? { above: Infinity, height: 0 } : { above, height: details.offsetHeight };
    }
    function topOf(index) {
      const { above, height } = gap();
      return index * ROW_HEIGHT + (index < above ? 0 : height);
    }
    function indexAt(y) {
      const { above, height } = gap();
      const index = Math.floor(y / ROW_HEIGHT);
      return index < above ? index : Math.max(above, Math.floor((y - height) / ROW_HEIGHT));
    }
    function moveTo(wanted, toButton) {
      const index = Math.min(Math.max(wanted, 0), routes.length - 1);
      active = routes[index].id;
      const top = topOf(index);
      const least = top + ROW_HEIGHT - view.clientHeight;
      view.scrollTop = Math.min(Math.max(view.scrollTop, least), top);
      draw();
      const row = rows.get(active);
      if (toButton && options.mayControl()) row.button.focus();
      else row.element.focus();
    }
    function draw() {
      const { above, height } = gap();
      details.style.top = `${above === Infinity ? 0 : above * ROW_HEIGHT}px`;
      const all = `${routes.length * ROW_HEIGHT + height}px`;
      if (grid.style.height !== all) grid.style.height = all;
      const activeIndex = Math.max(indexOf(active), 0);
      const first = Math.max(0, indexAt(view.scrollTop) - MARGIN);
      const end = indexAt(view.scrollTop + view.clientHeight) + 1 + MARGIN;
      const shown = /* @__PURE__ */ new Map();
      for (let index = first; index < Math.min(end, routes.length); index++) {
        shown.set(routes[index].id, index);
      }
      if (routes[activeIndex]) shown.set(routes[activeIndex].id, activeIndex);
      for (const [id, row] of rows) {
        if (shown.has(id)) continue;
        rows.delete(id);
        row.element.remove();
      }
      for (const [id, index] of shown) {
        const row = rows.get(id) ?? createRow(ROW_HEIGHT);
        row.show(routes[index], {
          index,
          top: index * ROW_HEIGHT + (index < above ? 0 : height),
          isActive: index === activeIndex,
          isSelected: id === selected,
          isOld: options.isOld(),
          isGone: !present.has(id),
          waiting: options.waiting(id),
          mayControl: options.mayControl()
        });
        if (!rows.has(id)) grid.append(row.element);
        rows.set(id, row);
      }
    }
    function keepHeight({ isOther }) {
      const pointed = document.querySelector(`.${CLASS}:is(:hover, :focus-within)`);
      const isFixed = pointed !== null && !isHeld() && !isOther && !view.hidden;
      const height = isFixed ? `${view.offsetHeight}px` : "";
      if (view.style.height !== height) view.style.height = height;
    }
    function inPlace({ found, all, isOther }) {
      if (isOther || !isHeld()) return found;
      const now = new Map(all.map((route) => [route.id, route]));
      const kept = new Set(routes.map(({ id }) => id));
      return [
        ...routes.map((route) => now.get(route.id) ?? route),
        ...found.filter(({ id }) => !kept.has(id))
      ];
    }
    return {
      element: view,
      show(shown) {
        keepHeight(shown);
        const hadFocus = grid.contains(document.activeElement);
        routes = inPlace(shown);
        present = new Set(shown.all.map(({ id }) => id));
        selected = shown.selected;
        details.hidden = indexOf(selected) < 0;
        grid.setAttribute("aria-rowcount", String(routes.length));
        view.hidden = routes.length === 0;
        draw();
        if (hadFocus && !grid.contains(document.activeElement)) {
          rows.get(routes[Math.max(indexOf(active), 0)]?.id ?? "")?.element.focus();
        }
      },
      focusButton(routeId) {
        const index = indexOf(routeId);
        if (index >= 0) moveTo(index, true);
      }
    };
  }
  var CLASS, ROW_HEIGHT, MARGIN, STEPS;
  var init_list = __esm({
    "nodes/sidebar/editor/list.ts"() {
      "use strict";
      init_element();
      init_row();
      CLASS = "media-gateway-sidebar-list";
      ROW_HEIGHT = 46;
      MARGIN = 5;
      STEPS = {
        ArrowDown: () => 1,
        ArrowUp: () => -1,
        PageDown: (page) => page,
        PageUp: (page) => -page,
        Home: () => -Infinity,
        End: () => Infinity
      };
    }
  });

  // nodes/sidebar/editor/message.ts
  function createMessage(onClose) {
    const words = element("span");
    const close = element("button", {
      type: "button",
      className: "media-gateway-sidebar-close",
      textContent: "\u2715",
      ariaLabel: text("close"),
      title: text("close")
    });
    close.addEventListener("click", onClose);
    const box = element(
      "div",
      { className: "media-gateway-sidebar-fault", hidden: true },
      words,
      close
    );
    return {
      element: box,
      show(said) {
        if (words.textContent !== said) words.textContent = said;
        box.hidden = said === "";
      }
    };
  }
  var init_message = __esm({
    "nodes/sidebar/editor/message.ts"() {
      "use strict";
      init_element();
      init_text();
    }
  });

  // nodes/sidebar/editor/preferences.ts
  function remembered() {
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      return { open: { ...kept?.open }, device: { ...kept?.device } };
    } catch {
      return { open: {}, device: {} };
    }
  }
  function remember(of, id, value) {
    const kept = remembered();
    kept[of][id] = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
    }
  }
  var KEY;
  var init_preferences = __esm({
    "nodes/sidebar/editor/preferences.ts"() {
      "use strict";
      KEY = "media-gateway-sidebar";
    }
  });

  // nodes/sidebar/editor/gateway-panel.ts
  function createBlock(listed, options) {
    const id = `media-gateway-sidebar-${counter2++}`;
    const commands = createCommands();
    let gateway = listed;
    let isOpen = options.isOpen;
    let deviceId = remembered().device[listed.id];
    let devices = [];
    let devicesAskedAt = -Infinity;
    let snapshot;
    let version;
    let state;
    let stateAt = 0;
    let isShownOld = false;
    let failure;
    let selected;
    let question;
    let closedFault;
    let spokenHealth;
    let found = Infinity;
    const arrow = element("i", { className: "fa media-gateway-sidebar-arrow", ariaHidden: "true" });
    const sign = mark();
    const title = element("span", { className: "media-gateway-sidebar-title" });
    const word = element("span", { className: "media-gateway-sidebar-word" });
    const head = element(
      "button",
      { type: "button", className: "media-gateway-sidebar-head" },
      arrow,
      sign,
      title,
      word
    );
    const facts = element("span", { id: `${id}-facts`, className: "media-gateway-sidebar-told" });
    const age = element("span", { className: "media-gateway-sidebar-age" });
    const factsRow = element("div", { className: "media-gateway-sidebar-facts" }, facts, age);
    const choice = element("select", { id: `${id}-device` });
    const choiceRow = element(
      "div",
      { className: "media-gateway-sidebar-tools", hidden: true },
      element("label", { htmlFor: choice.id }, text("device")),
      choice
    );
    const search = element("input", { type: "text", placeholder: text("search") });
    const filter = element(
      "select",
      {},
      ...FILTERS.map((value) => element("option", { value }, text(`filter.${value}`)))
    );
    const tools = element("div", { className: "media-gateway-sidebar-tools" }, search, filter);
    const empty = element("div", { className: "media-gateway-sidebar-notice" });
    const fault = createMessage(() => {
      closedFault = keyOf2(faultNow());
      showHealth();
      head.focus();
    });
    const trouble = createMessage(() => {
      complain("");
      head.focus();
    });
    const questions = element("div");
    const details = createDetails({
      mayControl: isAllowed,
      isOld,
      waiting: (routeId, destinationId) => commands.waiting({ routeId, destinationId }),
      onControl: (routeId, destinationId) => {
        if (!isOld()) ask2(routeId, destinationId);
      },
      onClose() {
        const closed = selected;
        selected = void 0;
        showRoutes();
        if (closed !== void 0) list.focusButton(closed);
      }
    });
    const list = createList({
      label: text("routesOf", { name: nameOf(listed) }),
      details: details.element,
      mayControl: isAllowed,
      isOld,
      waiting: (routeId) => commands.waiting({ routeId }),
      onSelect(routeId) {
        selected = selected === routeId ? void 0 : routeId;
        showRoutes();
      },
      onControl: (routeId) => ask2(routeId),
      onRelease: () => showRoutes()
    });
    const top = element(
      "div",
      { className: "media-gateway-sidebar-top" },
      head,
      factsRow,
      choiceRow,
      tools
    );
    const body = element("div", { id: `${id}-body` }, empty, list.element);
    const block = element("section", { className: "media-gateway-sidebar-block" }, top, body);
    const messages = element("div", {}, fault.element, trouble.element, questions);
    head.setAttribute("aria-controls", body.id);
    search.setAttribute("aria-label", text("search"));
    filter.setAttribute("aria-label", text("filter.label"));
    head.setAttribute("aria-describedby", facts.id);
    trouble.element.setAttribute("role", "alert");
    head.addEventListener("click", () => {
      isOpen = !isOpen;
      takeQuestionBack();
      snapshot = void 0;
      version = void 0;
      show();
      options.onToggle(isOpen);
    });
    search.addEventListener("input", () => showRoutes(true));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && search.value !== "") {
        search.value = "";
        showRoutes(true);
      }
      event.stopPropagation();
    });
    filter.addEventListener("change", () => showRoutes(true));
    choice.addEventListener("change", () => choose(choice.value));
    function isAllowed() {
      return !gateway.readOnly && !gateway.error && state?.mayControl !== false && mayControl();
    }
    function isOld() {
      return failure !== void 0 || state?.health.known?.isOld === true || Date.now() - stateAt > OLD_MS;
    }
    function show() {
      isShownOld = isOld();
      showDevices();
      showRoutes();
      showHealth();
      options.onChange();
    }
    function health() {
      const { known, failure: missed, unreachable } = state?.health ?? {};
      if (gateway.error) return "fault";
      if (unreachable && !failure) return "unreachable";
      if (known) return isOld() ? "stale" : "reachable";
      if (missed || failure && isOpen) return "fault";
      return isOpen ? "asking" : "closed";
    }
    function showHealth() {
      const now = health();
      title.textContent = nameOf(gateway);
      head.title = gateway.address;
      head.setAttribute("aria-expanded", String(isOpen));
      body.hidden = !isOpen;
      sign.dataset["tone"] = now === "reachable" ? worstOf(state) : TONES[now];
      word.textContent = text(`health.${now}`);
      if (keyOf2(faultNow()) !== closedFault) closedFault = void 0;
      fault.show(isOpen && snapshot && closedFault === void 0 ? faultWords() : "");
      facts.textContent = factsOf().join(" \xB7 ");
      const { name, firmware } = snapshot?.device ?? {};
      facts.title = [
        facts.textContent,
        ...name === void 0 ? [] : [name],
        ...firmware ? [text("firmware", { firmware })] : []
      ].join(" \xB7 ");
      showAge();
      if (spokenHealth !== void 0 && spokenHealth !== now && SPOKEN.has(now)) {
        options.speak(`${nameOf(gateway)}: ${word.textContent}`);
        if (now === "reachable") complain("");
      }
      if (SPOKEN.has(now)) spokenHealth = now;
    }
    const faultNow = () => gateway.error ?? failure ?? state?.health.failure;
    function faultWords() {
      const why = faultNow();
      return why ? `${nameOf(gateway)}: ${why.message}` : "";
    }
    function factsOf() {
      const told = [];
      const known = state?.health.known;
      const { status, statusCode } = snapshot?.device ?? {};
      if (status && statusCode && statusCode !== "ok") told.push(status);
      if (known) {
        const { running, routes: all, warnings, errors } = known;
        told.push(text(isOld() ? "ran" : "running", { running, all }));
        if (warnings + errors > 0) told.push(text("problems", { number: warnings + errors }));
      }
      if (gateway.readOnly) told.push(text("readOnly"));
      else if (state?.mayControl === false) told.push(text("observer"));
      if (known && found < known.routes) told.push(text("shown", { shown: found }));
      return told;
    }
    function showAge() {
      const ageMs = state?.health.known?.ageMs;
      const seconds = Math.round(((ageMs ?? 0) + Date.now() - stateAt) / 1e3);
      age.textContent = ageMs === void 0 ? "" : ageOf(Math.max(0, seconds));
    }
    function showDevices() {
      choiceRow.hidden = !isOpen || devices.length < 2;
      const isSame = devices.every(({ id: one }, index) => choice.options[index]?.value === one);
      if (!isSame || choice.options.length !== devices.length) {
        choice.replaceChildren(...devices.map((one) => new Option(one.name, one.id)));
      }
      choice.value = deviceId ?? "";
    }
    function showRoutes(isOther = false) {
      const all = snapshot?.routes ?? [];
      const wanted = chosen(all, search.value, filter.value);
      details.show(all.find((one) => one.id === selected));
      list.show({ found: wanted, all, selected, isOther: isOther || !snapshot });
      tools.hidden = !isOpen || all.length === 0;
      found = snapshot ? wanted.length : Infinity;
      empty.textContent = emptyWords();
      empty.hidden = empty.textContent === "";
      question?.asked.update(effectOf(question.target, question.action));
      if (isOther) showHealth();
      options.onChange();
    }
    function emptyWords() {
      if (!snapshot) return faultWords() || text("asking");
      if (found > 0) return "";
      return text(snapshot.routes.length === 0 ? "noRoutes" : "noMatch");
    }
    function choose(chosenId) {
      deviceId = chosenId;
      remember("device", gateway.id, chosenId);
      forget();
      show();
      options.onCommand();
    }
    function forget() {
      snapshot = void 0;
      version = void 0;
      state = void 0;
      selected = void 0;
      takeQuestionBack();
    }
    function takeQuestionBack() {
      question?.asked.takeBack();
      question = void 0;
    }
    async function askForState() {
      if (gateway.error) return void 0;
      const asked = deviceId;
      const wasOpen = isOpen;
      const given = await askState({
        id: gateway.id,
        deviceId: asked,
        version: snapshot && version,
        lookOn: !wasOpen
      });
      if (asked !== deviceId || wasOpen !== isOpen) return void 0;
      const answer = "answer" in given ? given.answer : void 0;
      if (answer && "notDeployed" in answer) return "gone";
      failure = "failure" in given ? given.failure : void 0;
      if (answer) take(answer);
      else version = void 0;
      if (isOpen && (failure || state?.health.failure)) await findDevices();
      show();
      return void 0;
    }
    function take(answer) {
      state = answer;
      stateAt = Date.now();
      version = answer.version;
      if (answer.snapshot) {
        snapshot = { ...answer.snapshot, routes: byName(answer.snapshot.routes) };
      }
      if (!snapshot) return;
      const { done, late } = commands.settle(snapshot.routes);
      for (const { action, name } of done) options.speak(text(`done.${action}`, { name }));
      if (done.length > 0) complain("");
      for (const { name } of late) complain(text("late", { name }));
      reconsider(snapshot);
    }
    function reconsider({ routes }) {
      if (!question) return;
      const { target, action } = question;
      const isOnNow = isOnAir(routes, target);
      if (isOnNow !== void 0 && isOnNow !== (action === "start")) return;
      takeQuestionBack();
    }
    async function findDevices() {
      const code = state?.health.failure?.code;
      if (code !== "INVALID_INPUT" && code !== "NOT_FOUND") return;
      if (Date.now() - devicesAskedAt < DEVICES_AGAIN_MS) return;
      devicesAskedAt = Date.now();
      const given = await askDevices(gateway.id);
      if (!("answer" in given)) return;
      devices = given.answer.devices;
      if (devices.some((device) => device.id === deviceId)) return;
      if (devices.length > 1) choose(devices[0].id);
      else deviceId = void 0;
    }
    function ask2(routeId, destinationId) {
      const route = snapshot?.routes.find((one) => one.id === routeId);
      const destination = route?.destinations.find((one) => one.id === destinationId);
      if (!route || destinationId !== void 0 && !destination) return;
      const target = { routeId, destinationId };
      const action = isOnAir([route], target) ? "stop" : "start";
      const name = destination?.name ?? route.name;
      const kind = destination ? "destination" : "route";
      const backTo = () => {
        if (destinationId === void 0) list.focusButton(routeId);
        else details.focusButton(destinationId);
      };
      takeQuestionBack();
      const asked = askFirst(
        questions,
        {
          question: text(`question.${action}.${kind}`, {
            name,
            route: route.name,
            gateway: nameOf(gateway)
          }),
          effect: effectOf(target, action),
          yes: text(`yes.${action}.${kind}`),
          no: text("cancel")
        },
        (isYes) => {
          question = void 0;
          if (isYes) void send(target, action, name);
          backTo();
          options.onChange();
        }
      );
      question = { target, action, asked };
      options.onChange();
    }
    function effectOf({ routeId, destinationId }, action) {
      if (isOld()) return text("effect.old");
      if (destinationId !== void 0) return text(`effect.${action}.destination`);
      const { destinations = [] } = snapshot?.routes.find((one) => one.id === routeId) ?? {};
      const number = destinations.filter(isOn).length;
      const none = action === "start" && destinations.length > 0 ? "untold" : "none";
      const some = number === 1 ? "one" : "many";
      return text(`effect.${action}.${number === 0 ? none : some}`, { number });
    }
    async function send(target, action, name) {
      complain("");
      commands.send({ ...target, action, name });
      showRoutes();
      const command = { deviceId: snapshot?.device.id ?? "", ...target, action };
      const given = await control(gateway.id, command);
      if ("answer" in given) commands.accepted(target);
      else {
        commands.refused(target);
        complain(`${name}: ${given.failure.message}`);
      }
      showRoutes();
      options.onCommand();
    }
    const complain = (words) => trouble.show(words);
    show();
    return {
      id: listed.id,
      element: block,
      messages,
      get isOpen() {
        return isOpen;
      },
      get isWaiting() {
        return commands.isWaiting || health() === "asking";
      },
      get listHeight() {
        return list.element.offsetHeight;
      },
      update(now) {
        const isOther = now.address !== gateway.address;
        gateway = now;
        if (isOther) {
          devices = [];
          devicesAskedAt = -Infinity;
          forget();
        }
        show();
      },
      ask: askForState,
      forgetVersion() {
        version = void 0;
      },
      deployed() {
        version = void 0;
        complain("");
      },
      tick() {
        if (isOld() === isShownOld) showAge();
        else show();
      }
    };
  }
  function worstOf(state) {
    const { warnings = 0, errors = 0 } = state?.health.known ?? {};
    if (errors > 0) return "error";
    return warnings > 0 ? "warn" : "ok";
  }
  function ageOf(seconds) {
    if (seconds < 60) return text("age.seconds", { seconds });
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return text("age.minutes", { minutes });
    return text("age.hours", { hours: Math.floor(minutes / 60) });
  }
  var DEVICES_AGAIN_MS, OLD_MS, counter2, TONES, SPOKEN, keyOf2, nameOf;
  var init_gateway_panel = __esm({
    "nodes/sidebar/editor/gateway-panel.ts"() {
      "use strict";
      init_element();
      init_api();
      init_commands();
      init_confirm();
      init_details();
      init_list();
      init_message();
      init_preferences();
      init_route();
      init_text();
      init_labels();
      DEVICES_AGAIN_MS = 3e4;
      OLD_MS = 1e4;
      counter2 = 0;
      TONES = {
        reachable: "ok",
        stale: "warn",
        unreachable: "error",
        asking: "unknown",
        fault: "error",
        closed: "off"
      };
      SPOKEN = /* @__PURE__ */ new Set(["reachable", "stale", "unreachable", "fault"]);
      keyOf2 = (fault) => fault?.code ?? fault?.message;
      nameOf = ({ name, address, id }) => name || address || id;
    }
  });

  // nodes/sidebar/editor/visibility.ts
  function whenShown(shown, tell) {
    let isInPlace = false;
    let told = false;
    const update = () => {
      const isShown = isInPlace && document.visibilityState === "visible";
      if (isShown !== told) tell(told = isShown);
    };
    new IntersectionObserver((entries) => {
      isInPlace = entries.at(-1)?.isIntersecting === true;
      update();
    }).observe(shown);
    document.addEventListener("visibilitychange", update);
  }
  var init_visibility = __esm({
    "nodes/sidebar/editor/visibility.ts"() {
      "use strict";
    }
  });

  // nodes/sidebar/editor/sidebar.ts
  function createSidebar() {
    const notice = element("div", {
      className: "media-gateway-sidebar-notice",
      textContent: text("loading")
    });
    const spoken = element("div", { className: "media-gateway-sidebar-spoken" });
    spoken.setAttribute("role", "log");
    const place = element("div");
    const scroller = element("div", { className: "media-gateway-sidebar-scroller" }, notice, place);
    const messages = element("div", { className: "media-gateway-sidebar-messages" });
    const content = element("div", { className: "media-gateway-sidebar" }, scroller, messages, spoken);
    let blocks = [];
    let isShown = false;
    let isAsking = false;
    let listIsDue = true;
    let askAt = 0;
    let timer;
    whenShown(content, (now) => {
      isShown = now;
      if (now) refresh();
    });
    new ResizeObserver(share).observe(content);
    function deployed() {
      for (const block of blocks) block.deployed();
      refresh();
    }
    function refresh() {
      listIsDue = true;
      for (const block of blocks) block.forgetVersion();
      askSoon();
    }
    function askSoon() {
      askAt = 0;
      tick();
    }
    function tick() {
      window.clearTimeout(timer);
      if (!isShown) return;
      for (const block of blocks) block.tick();
      if (!isAsking && Date.now() >= askAt) void ask2();
      timer = window.setTimeout(tick, TICK_MS);
    }
    async function ask2() {
      isAsking = true;
      askAt = Infinity;
      try {
        if (listIsDue) await list();
        const known = await Promise.all(blocks.map((block) => block.ask()));
        if (known.includes("gone")) listIsDue = true;
      } finally {
        isAsking = false;
        const pause = blocks.some(({ isWaiting }) => isWaiting) ? TICK_MS : ASK_EVERY_MS;
        if (askAt > 0) askAt = Date.now() + pause;
      }
      if (askAt === 0) tick();
    }
    async function list() {
      listIsDue = false;
      const given = await listGateways();
      if ("failure" in given) {
        listIsDue = true;
        if (blocks.length === 0) tell(given.failure.message);
        return;
      }
      show(given.answer);
      tell(given.answer.length === 0 ? text("none") : "");
      listIsDue ||= given.answer.some(({ error }) => error?.code === "NOT_FOUND");
    }
    function tell(words) {
      notice.textContent = words;
      notice.hidden = words === "";
    }
    function speak(words) {
      spoken.append(element("div", {}, words));
      while (spoken.childElementCount > MOST_SPOKEN) spoken.firstElementChild?.remove();
    }
    function show(gateways) {
      const { open } = remembered();
      const before = new Map(blocks.map((block) => [block.id, block]));
      blocks = gateways.map((gateway, index) => {
        const known = before.get(gateway.id);
        known?.update(gateway);
        return known ?? createBlock(gateway, {
          isOpen: open[gateway.id] ?? index < OPEN_AT_FIRST,
          onToggle(isOpen) {
            remember("open", gateway.id, isOpen);
            share();
            askSoon();
          },
          onChange: share,
          onCommand: askSoon,
          speak
        });
      });
      arrange(
        place,
        blocks.map((block) => block.element)
      );
      arrange(
        messages,
        blocks.map((block) => block.messages)
      );
      share();
    }
    function share() {
      const open = blocks.filter(({ isOpen }) => isOpen);
      if (open.length === 0 || content.clientHeight === 0) return;
      const lists = open.reduce((sum, { listHeight }) => sum + listHeight, 0);
      const others = place.offsetHeight + notice.offsetHeight - lists;
      const each = Math.floor((content.clientHeight - others) / open.length);
      content.style.setProperty(
        "--media-gateway-sidebar-list",
        `${Math.max(each, LEAST_LIST_HEIGHT)}px`
      );
    }
    return { content, deployed };
  }
  function arrange(place, elements) {
    if (elements.some((one, index) => one !== place.children[index])) {
      place.replaceChildren(...elements);
    } else while (place.children.length > elements.length) place.lastElementChild?.remove();
  }
  var TICK_MS, ASK_EVERY_MS, OPEN_AT_FIRST, LEAST_LIST_HEIGHT, MOST_SPOKEN;
  var init_sidebar = __esm({
    "nodes/sidebar/editor/sidebar.ts"() {
      "use strict";
      init_element();
      init_api();
      init_gateway_panel();
      init_preferences();
      init_visibility();
      init_text();
      TICK_MS = 1e3;
      ASK_EVERY_MS = 3e3;
      OPEN_AT_FIRST = 2;
      LEAST_LIST_HEIGHT = 184;
      MOST_SPOKEN = 20;
    }
  });

  // nodes/sidebar/editor/index.ts
  var require_editor = __commonJS({
    "nodes/sidebar/editor/index.ts"() {
      init_sidebar();
      init_text();
      var ID = "media-gateway-sidebar";
      var ACTION = "media-gateway:show-sidebar";
      RED.plugins.registerPlugin(ID, {
        type: ID,
        onadd() {
          const { content, deployed } = createSidebar();
          RED.sidebar.addTab({
            id: ID,
            label: text("tab"),
            name: text("name"),
            iconClass: "fa fa-video-camera",
            content,
            enableOnEdit: true,
            action: ACTION
          });
          RED.actions.add(ACTION, () => RED.sidebar.show(ID), { label: text("show") });
          RED.events.on("deploy", deployed);
          RED.comms.subscribe("notification/runtime-deploy", deployed);
        }
      });
    }
  });
  require_editor();
})();
