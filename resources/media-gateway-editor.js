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

  // client/model/ranges.ts
  var RANGES;
  var init_ranges = __esm({
    "client/model/ranges.ts"() {
      "use strict";
      RANGES = {
        timeout: { least: 1, most: 6e5, whole: true },
        concurrency: { least: 1, most: 100, whole: true },
        pollInterval: { least: 1, most: 3600 },
        waitTimeout: { least: 0.1, most: 3600 },
        holdFor: { least: 0, most: 86400 }
      };
    }
  });

  // client/model/settings.ts
  function addressFault(address) {
    const text5 = address.trim();
    if (text5 === "") return "missing";
    if (suggestedAddress(text5) !== void 0) return "noScheme";
    if (/\s/.test(text5) || !URL.canParse(text5)) return "invalid";
    const { protocol, username, password, search, hash } = new URL(text5);
    if (protocol !== "http:" && protocol !== "https:") return "scheme";
    if (username !== "" || password !== "" || /^[^/]*\/\/[^/?#]*@/.test(text5)) return "user";
    return search === "" && hash === "" ? void 0 : "query";
  }
  function suggestedAddress(address) {
    const text5 = address.trim().replace(/^\/+/, "");
    if (text5 === "" || /[\s?#@]|:\/\/|^https?:/i.test(text5)) return void 0;
    const suggested = `https://${text5}`;
    return URL.canParse(suggested) ? suggested : void 0;
  }
  function fingerprintDigits(fingerprint) {
    const digits = fingerprint.replace(/[:\s]/g, "").toUpperCase();
    return /^([0-9A-F]{64})?$/.test(digits) ? digits : void 0;
  }
  function numberIn(value, { least, most, whole: whole2 = false }) {
    const isText2 = typeof value === "string" && value.trim() !== "";
    const number2 = isText2 || typeof value === "number" ? Number(value) : Number.NaN;
    const isGood = number2 >= least && number2 <= most && (!whole2 || Number.isInteger(number2));
    return isGood ? number2 : void 0;
  }
  var init_settings = __esm({
    "client/model/settings.ts"() {
      "use strict";
    }
  });

  // nodes/editor/checks.ts
  function number(range2) {
    const { least, most, whole: whole2 } = range2;
    return (value) => {
      const isGood = value === "" || isVariable(value) || numberIn(value, range2) !== void 0;
      return isGood ? void 0 : [whole2 ? "wholeNumber" : "number", { least, most }];
    };
  }
  function isVariable(value) {
    return /^\s*\$\{[^}]+\}\s*$/.test(value);
  }
  var checks, ADDRESS_KEYS;
  var init_checks = __esm({
    "nodes/editor/checks.ts"() {
      "use strict";
      init_ranges();
      init_settings();
      checks = {
        baseUrl(value) {
          if (isVariable(value)) return void 0;
          const fault2 = addressFault(value);
          if (fault2 === void 0) return void 0;
          return [ADDRESS_KEYS[fault2], { suggested: suggestedAddress(value) ?? "" }];
        },
        fingerprint(value) {
          const isGood = isVariable(value) || fingerprintDigits(value) !== void 0;
          return isGood ? void 0 : ["fingerprint"];
        },
        // Empty means the default.
        timeout: number(RANGES.timeout),
        concurrency: number(RANGES.concurrency),
        pollInterval: number(RANGES.pollInterval),
        waitTimeout: number(RANGES.waitTimeout),
        holdFor: number(RANGES.holdFor)
      };
      ADDRESS_KEYS = {
        missing: "noUrl",
        noScheme: "urlBegin",
        scheme: "urlScheme",
        invalid: "url",
        user: "urlUser",
        query: "urlQuery"
      };
    }
  });

  // nodes/editor/fields.ts
  function field(node, property) {
    return $(`#${idOf(node, property)}`);
  }
  function idOf(node, name) {
    return `${node._def.category === "config" ? "node-config-input" : "node-input"}-${name}`;
  }
  function read(input2) {
    return isCheckbox(input2) ? input2.prop("checked") : input2.val();
  }
  function show(input2, value) {
    if (isCheckbox(input2)) input2.prop("checked", value);
    else input2.val(value);
  }
  function shownValue(node, property) {
    const input2 = field(node, property);
    const open = input2.length > 0 && RED.editor.getEditStack().includes(node);
    return (open ? read(input2) : node[property]) ?? lackingValue(node, property);
  }
  function lackingValue(node, property) {
    const { value, lacking = value } = node._def.defaults[property] ?? {};
    return lacking;
  }
  function isCheckbox(input2) {
    return input2.attr("type") === "checkbox";
  }
  var init_fields = __esm({
    "nodes/editor/fields.ts"() {
      "use strict";
    }
  });

  // nodes/editor/text.ts
  function text(key, values) {
    return RED._(`@media-gateway/node-red/gateway:${key}`, values);
  }
  function reason(fault2, { label }) {
    return label === void 0 ? fault2 : `${label}: ${fault2}`;
  }
  var init_text = __esm({
    "nodes/editor/text.ts"() {
      "use strict";
    }
  });

  // nodes/editor/ask.ts
  function ask(path, body) {
    return call({
      url: `media-gateway/${path}`,
      method: "POST",
      contentType: "application/json",
      data: JSON.stringify(body)
    });
  }
  function askCredentials(id) {
    return call({ method: "GET", url: `credentials/media-gateway/${encodeURIComponent(id)}` });
  }
  function call(what) {
    return new Promise((resolve, reject) => {
      $.ajax({
        ...what,
        dataType: "json",
        success: (answer) => resolve(answer),
        error: (reply) => reject(unanswered(reply))
      });
    });
  }
  function unanswered({ status, responseJSON }) {
    const { code, message, ...flags } = responseJSON ?? {};
    if (typeof code === "string" && typeof message === "string") {
      return new Unanswered(
        message,
        code,
        flags["passwordNeeded"] === true,
        flags["notDeployed"] === true
      );
    }
    if (status === 401 || status === 403) return new Unanswered(text("connection.noPermission"));
    if (status === 404) return new Unanswered(text("connection.noSuchFunction"));
    if (status === 0) return new Unanswered(text("connection.noNodeRed"));
    return new Unanswered(text("connection.strangeAnswer", { status }));
  }
  function titleOf(code) {
    return text(`connection.failed.${code && TITLED.includes(code) ? code : "other"}`);
  }
  var Unanswered, TITLED;
  var init_ask = __esm({
    "nodes/editor/ask.ts"() {
      "use strict";
      init_text();
      Unanswered = class extends Error {
        constructor(message, code, passwordNeeded = false, notDeployed = false) {
          super(message);
          this.code = code;
          this.passwordNeeded = passwordNeeded;
          this.notDeployed = notDeployed;
        }
        code;
        passwordNeeded;
        notDeployed;
      };
      TITLED = [
        "CONFIG",
        "LOGIN_REFUSED",
        "TOO_MANY_SESSIONS",
        "FORBIDDEN",
        "TLS",
        "UNAVAILABLE",
        "TIMEOUT",
        "BAD_RESPONSE"
      ];
    }
  });

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

  // client/model/pattern.ts
  function patternFilter(pattern) {
    const wanted = Array.from(pattern.toLocaleLowerCase());
    return (name) => fits(Array.from(name.toLocaleLowerCase()), wanted);
  }
  function fits(name, pattern) {
    let at = 0;
    let place2 = 0;
    let star = -1;
    let taken = 0;
    while (at < name.length) {
      if (pattern[place2] === "*") {
        star = place2++;
        taken = at;
      } else if (pattern[place2] === "?" || pattern[place2] === name[at]) {
        place2++;
        at++;
      } else if (star < 0) return false;
      else {
        place2 = star + 1;
        at = ++taken;
      }
    }
    while (pattern[place2] === "*") place2++;
    return place2 === pattern.length;
  }
  var init_pattern = __esm({
    "client/model/pattern.ts"() {
      "use strict";
    }
  });

  // nodes/editor/pickers/choices.ts
  function offerOf(kind, entries, found) {
    if (kind === "device") return offer(kind, found.devices, deviceState);
    const routes = routesOf(entries, found);
    if ("why" in routes) return routes;
    if (kind === "route") return offer(kind, routes.items, routeState);
    const destinations = destinationsOf(entries.route, routes.items);
    return "why" in destinations ? destinations : offer(kind, destinations.items, destinationState);
  }
  function namedDevice({ type, value }) {
    const id = value.trim();
    return type === "id" && id !== "" && !isVariable(id) ? id : void 0;
  }
  function offer(kind, items, stateOf) {
    const choices2 = items.filter(({ id }) => typeof id === "string" && id !== "").map((item) => ({ id: item.id, name: item.name ?? "", state: stateOf(item) }));
    return choices2.length > 0 ? { choices: choices2 } : { why: text(`picker.none.${kind}`) };
  }
  function routesOf({ device }, { devices, deviceId, routes }) {
    const only = devices.length === 1 ? devices[0].id : void 0;
    const wanted = device.type === "id" ? namedDevice(device) : only;
    if (wanted !== void 0 && wanted === deviceId) return { items: routes ?? [] };
    if (devices.length === 0) return { why: text("picker.none.device") };
    if (wanted !== void 0) return { why: text("picker.deviceUnknown") };
    const isOpen = device.type === "id" && device.value.trim() === "";
    const key = isOpen || device.type === "auto" ? "chooseDevice" : "deviceLater";
    return { why: text(`picker.${key}`, { number: devices.length }) };
  }
  function destinationsOf(entry, routes) {
    const fitting = namedRoutes(entry, routes);
    if (!fitting) return { why: text("picker.routeLater") };
    if (entry.value.trim() === "") return { why: text("picker.chooseRoute") };
    if (fitting.length > 1) return { why: text("picker.sameName", { number: fitting.length }) };
    const [route] = fitting;
    return route ? { items: route.destinations ?? [] } : { why: text("picker.routeUnknown") };
  }
  function namedRoutes({ type, value }, routes) {
    const wanted = value.trim();
    if (type !== "id" && type !== "name" || isVariable(wanted)) return void 0;
    return routes.filter((route) => route[type] === wanted);
  }
  function chosenRoute(entries, found) {
    const routes = routesOf(entries, found);
    const fitting = ("why" in routes ? void 0 : namedRoutes(entries.route, routes.items)) ?? [];
    return fitting.length === 1 ? fitting[0] : void 0;
  }
  function fittingNames(pattern, choices2) {
    const fits3 = patternFilter(pattern);
    return choices2.map(({ name }) => name).filter(fits3);
  }
  function deviceState({ statusCode, status }) {
    return { sign: signOf(statusCode, true), word: status || wordOf(statusCode) };
  }
  function routeState({ state, summaryStatusCode }) {
    const word2 = wordOf(state);
    const isRunning = state?.toLowerCase() === "running";
    const sign = signOf(summaryStatusCode, isRunning);
    if (!isRunning) return { sign: sign === "error" ? sign : "idle", word: word2 };
    return sign === "warning" || sign === "error" ? { sign, word: `${word2}, ${text(`picker.state.${sign}`)}` } : { sign, word: word2 };
  }
  function destinationState({ started, state, summaryStatusCode }) {
    const isOn = started !== false && state?.toLowerCase() !== "stopped";
    return {
      sign: isOn ? signOf(summaryStatusCode, true) : "idle",
      word: wordOf(isOn ? state ?? "started" : "stopped")
    };
  }
  function signOf(given, isOn) {
    const code = given?.toLowerCase();
    if (code === "ok") return isOn ? "good" : "idle";
    if (code === "warn") return "warning";
    return code === "error" ? "error" : "unknown";
  }
  function wordOf(state) {
    if (!state) return text("picker.state.unknown");
    const known = state.toLowerCase();
    const key = Object.hasOwn(WORDS, known) ? WORDS[known] : void 0;
    return key === void 0 ? state : text(`picker.state.${key}`);
  }
  var KINDS, WORDS;
  var init_choices = __esm({
    "nodes/editor/pickers/choices.ts"() {
      "use strict";
      init_pattern();
      init_checks();
      init_text();
      KINDS = ["device", "route", "destination"];
      WORDS = {
        running: "running",
        idle: "idle",
        stopped: "stopped",
        started: "started",
        connected: "connected",
        connecting: "connecting",
        disconnected: "disconnected",
        "connection established": "established",
        ok: "ok",
        warn: "warning",
        error: "error"
      };
    }
  });

  // nodes/editor/pickers/list.ts
  function createList({ input: input2, frame, label, isOn, choices: choices2, valueOf: valueOf2, pick }) {
    const list2 = element("div", {
      className: "media-gateway-picker-list",
      id: `media-gateway-picker-list-${counter++}`,
      role: "listbox",
      ariaLabel: label,
      hidden: true
    });
    if ("showPopover" in list2) list2.popover = "manual";
    frame.after(list2);
    input2.setAttribute("aria-controls", list2.id);
    let rows = [];
    let active = -1;
    let typed = false;
    let shown3;
    let ended = new AbortController();
    const isOpen = () => !list2.hidden;
    function open() {
      if (isOpen() || !isOn()) return;
      const offered = choices2();
      if (offered?.length === 0) return;
      list2.hidden = false;
      if ("showPopover" in list2) list2.showPopover();
      ended = new AbortController();
      for (const event of ["scroll", "resize"]) {
        window.addEventListener(event, closeUnless, { capture: true, signal: ended.signal });
      }
      input2.ariaExpanded = "true";
      show2();
    }
    function closeUnless({ target }) {
      if (target !== list2) close();
    }
    function close() {
      if (!isOpen()) return;
      ended.abort();
      typed = false;
      shown3 = void 0;
      if ("hidePopover" in list2 && list2.isConnected) list2.hidePopover();
      list2.hidden = true;
      input2.ariaExpanded = "false";
      input2.removeAttribute("aria-activedescendant");
    }
    function show2() {
      if (!isOpen()) return;
      const offered = choices2();
      const wanted = input2.value.trim();
      const what = JSON.stringify([offered, wanted, typed]);
      if (what === shown3) return;
      shown3 = what;
      const fitting = (offered ?? []).filter((choice2) => !typed || fits2(choice2, wanted));
      rows = fitting.slice(0, MOST_ROWS).map((choice2, index) => ({
        choice: choice2,
        row: optionRow(`${list2.id}-${index}`, choice2, () => choose(choice2))
      }));
      list2.replaceChildren(...rows.map(({ row }) => row), ...remarks(offered, fitting.length));
      const present = rows.findIndex(({ choice: choice2 }) => valueOf2(choice2) === wanted);
      activate(present === -1 && typed && wanted !== "" && rows.length > 0 ? 0 : present);
      place2();
    }
    function remarks(offered, fitting) {
      const more = fitting - rows.length;
      const remark = !offered && text("picker.loading") || fitting === 0 && text("picker.noMatch") || more > 0 && text("picker.more", { number: more });
      if (!remark) return [];
      const row = element("div", { className: "media-gateway-picker-remark" }, remark);
      row.setAttribute("role", "presentation");
      return [row];
    }
    function activate(index) {
      rows[active]?.row.removeAttribute("aria-selected");
      active = index;
      const row = rows[index]?.row;
      if (!row) return input2.removeAttribute("aria-activedescendant");
      row.ariaSelected = "true";
      row.scrollIntoView({ block: "nearest" });
      input2.setAttribute("aria-activedescendant", row.id);
    }
    function place2() {
      const { top, bottom, left, width } = frame.getBoundingClientRect();
      const below = window.innerHeight - bottom - 8;
      const isAbove = below < LOWEST && top > below;
      Object.assign(list2.style, {
        left: `${left}px`,
        width: `${width}px`,
        maxHeight: `${Math.min(HIGHEST, isAbove ? top - 8 : below)}px`,
        top: isAbove ? "auto" : `${bottom + 1}px`,
        bottom: isAbove ? `${window.innerHeight - top + 1}px` : "auto"
      });
    }
    function choose(choice2) {
      close();
      pick(choice2);
    }
    function step(by) {
      if (rows.length === 0) return;
      const from = active === -1 && by === -1 ? 0 : active;
      activate((from + by + rows.length) % rows.length);
    }
    const KEYS = {
      ArrowDown: () => (isOpen() ? step(1) : open(), true),
      ArrowUp: () => (isOpen() ? step(-1) : open(), true),
      Enter: () => {
        const chosen = isOpen() ? rows[active]?.choice : void 0;
        if (chosen) choose(chosen);
        return chosen !== void 0;
      },
      Escape: () => {
        const wasOpen = isOpen();
        close();
        return wasOpen;
      },
      // What was typed stays: only Enter and a click choose.
      Tab: () => (close(), false)
    };
    input2.addEventListener("keydown", (event) => {
      if (!isOn() || event.ctrlKey || event.metaKey || !Object.hasOwn(KEYS, event.key)) return;
      if (!KEYS[event.key]()) return;
      event.preventDefault();
      event.stopPropagation();
    });
    input2.addEventListener("input", () => {
      if (!isOn()) return;
      typed = true;
      if (isOpen()) show2();
      else open();
    });
    input2.addEventListener("click", open);
    input2.addEventListener("blur", close);
    list2.addEventListener("mousedown", (event) => event.preventDefault());
    return {
      show: show2,
      close,
      toggle: () => {
        input2.focus();
        if (isOpen()) close();
        else open();
      }
    };
  }
  function fits2({ id, name }, typed) {
    const wanted = typed.toLowerCase();
    return name.toLowerCase().includes(wanted) || id.toLowerCase().startsWith(wanted);
  }
  function optionRow(rowId, { id, name, state }, choose) {
    const row = element(
      "div",
      { id: rowId, role: "option", className: "media-gateway-picker-option" },
      signOf2(state),
      element("span", { className: "media-gateway-picker-name" }, name || id),
      element("span", { className: "media-gateway-picker-id" }, id),
      element("span", { className: "media-gateway-picker-state" }, state.word)
    );
    row.addEventListener("click", choose);
    return row;
  }
  function signOf2({ sign, word: word2 }) {
    return element("i", {
      className: `fa fa-${ICONS[sign]} media-gateway-sign media-gateway-sign-${sign}`,
      title: word2,
      ariaHidden: "true"
    });
  }
  var MOST_ROWS, LOWEST, HIGHEST, counter, ICONS;
  var init_list = __esm({
    "nodes/editor/pickers/list.ts"() {
      "use strict";
      init_element();
      init_text();
      MOST_ROWS = 100;
      LOWEST = 150;
      HIGHEST = 300;
      counter = 0;
      ICONS = {
        good: "circle",
        idle: "circle-o",
        warning: "exclamation-triangle",
        error: "times-circle",
        unknown: "question-circle-o"
      };
    }
  });

  // nodes/editor/connection.ts
  function connectionOfForm(node) {
    const value = (property) => read(field(node, property));
    return connectionOf(node, value, { username: value("username"), password: value("password") });
  }
  async function askAppliance(path, gateway2, what, { again = false } = {}) {
    if (gateway2.d) throw new Unanswered(text("picker.disabled"));
    if (!gateway2.changed) {
      try {
        return await ask(path, { ...what, connection: { id: gateway2.id } });
      } catch (error) {
        if (!(error instanceof Unanswered) || !error.notDeployed) throw error;
      }
    }
    const connection = await connectionOfNode(gateway2);
    const key = JSON.stringify(connection);
    const before = again ? void 0 : refused.get(key);
    if (before) throw before;
    try {
      return await ask(path, { ...what, connection });
    } catch (error) {
      const isRefused = error instanceof Unanswered && error.code === "LOGIN_REFUSED";
      if (isRefused) refused.set(key, error);
      throw error;
    }
  }
  async function connectionOfNode(node) {
    const known = node.credentials ?? await askCredentials(node.id);
    const { username, password, has_password: hasPassword } = known;
    return connectionOf(node, (property) => node[property], {
      username,
      password: password ?? (hasPassword ? STORED : "")
    });
  }
  function connectionOf({ id }, value, { username, password }) {
    const chosen = (property) => {
      const other = value(property);
      return other === "_ADD_" ? "" : other ?? "";
    };
    return {
      id,
      username: username ?? "",
      password: password ?? "",
      ...Object.fromEntries(PLAIN.map((property) => [property, value(property) ?? ""])),
      ...Object.fromEntries(CONFIG_NODES.map((property) => [property, chosen(property)]))
    };
  }
  var STORED, PLAIN, CONFIG_NODES, refused;
  var init_connection = __esm({
    "nodes/editor/connection.ts"() {
      "use strict";
      init_ask();
      init_fields();
      init_text();
      STORED = "__PWRD__";
      PLAIN = ["baseUrl", "fingerprint", "timeout"];
      CONFIG_NODES = ["tls", "proxy"];
      refused = /* @__PURE__ */ new Map();
    }
  });

  // nodes/editor/pickers/look.ts
  function createLook(placeNow, changed) {
    let look = { loading: false };
    let asked;
    let turn = 0;
    async function update({ again = false } = {}) {
      const { gateway: gateway2, deviceId } = placeNow();
      const node = RED.nodes.node(gateway2);
      const wanted = node ? signature(node) : gateway2;
      const isSame = wanted === asked;
      if (isSame && !again && (look.loading || !lacks(look, deviceId))) return;
      asked = wanted;
      const mine = ++turn;
      look = node ? { loading: true, found: isSame ? look.found : void 0 } : { loading: false, failure: noGateway(gateway2) };
      changed();
      if (!node) return;
      const result = await lookAt(node, deviceId, again).then(
        (found) => ({ loading: false, found }),
        (failure) => ({ loading: false, failure })
      );
      if (mine !== turn) return;
      look = result;
      changed();
      void update();
    }
    return { now: () => look, update };
  }
  function lacks({ found }, deviceId) {
    if (!found || deviceId === void 0 || deviceId === found.deviceId) return false;
    return found.devices.some(({ id }) => id === deviceId);
  }
  function signature({ id, d, changed, credentials, ...node }) {
    const { baseUrl, fingerprint, tls, proxy, timeout } = node;
    return JSON.stringify([id, d, changed, credentials, baseUrl, fingerprint, tls, proxy, timeout]);
  }
  function noGateway(value) {
    const isVariable2 = value.startsWith("${");
    return new Unanswered(text(isVariable2 ? "picker.gatewayLater" : "picker.noGateway"));
  }
  async function lookAt(node, deviceId, again) {
    try {
      return await askAppliance("lookup", node, { deviceId }, { again });
    } catch (error) {
      const isGone = error instanceof Unanswered && error.code === "NOT_FOUND";
      if (deviceId === void 0 || !isGone) throw error;
      return askAppliance("lookup", node, {});
    }
  }
  var init_look = __esm({
    "nodes/editor/pickers/look.ts"() {
      "use strict";
      init_ask();
      init_connection();
      init_text();
    }
  });

  // nodes/editor/pickers/index.ts
  function preparePickers(node) {
    const kinds = KINDS.filter((kind) => field(node, kind).length > 0);
    const gateway2 = field(node, "gateway");
    const fields = new Map(kinds.map((kind) => [kind, fieldOf(node, kind)]));
    const entry = (kind) => {
      const { type, input: input2 } = fields.get(kind) ?? {};
      return { type: type?.val() ?? "", value: input2?.value ?? "" };
    };
    const entries = () => ({
      device: entry("device"),
      route: entry("route"),
      destination: entry("destination")
    });
    const look = createLook(
      () => ({
        gateway: gateway2.val() ?? "",
        deviceId: namedDevice(entries().device)
      }),
      () => showAll()
    );
    const listeners = [];
    const showAll = () => {
      for (const { show: show2 } of pickers) show2();
      for (const listener of listeners) listener();
    };
    const update = () => {
      if (pickers.some(({ isOn }) => isOn())) void look.update();
      showAll();
    };
    const pickers = [...fields].map(
      ([kind, its]) => createPicker(kind, its, {
        look: look.now,
        entries,
        update,
        reload: () => void look.update({ again: true })
      })
    );
    for (const { hidden, input: input2 } of fields.values()) {
      hidden.on("change", update);
      input2.addEventListener("input", showAll);
    }
    if (kinds.length > 0) {
      gateway2.on("change", update);
      update();
    }
    return {
      route() {
        const { found } = look.now();
        return found && chosenRoute(entries(), found);
      },
      onChange: (listener) => void listeners.push(listener),
      translate(property, { type, value }, wanted) {
        if (type === "name" && wanted === "pattern") return value;
        const kind = KINDS.find((each) => each === property);
        const { found } = look.now();
        if (!kind || !found || !PICKED.includes(type) || !PICKED.includes(wanted)) return void 0;
        const offered = offerOf(kind, entries(), found);
        const choices2 = "why" in offered ? [] : offered.choices;
        const key = (each) => each === "name" ? "name" : "id";
        const same = (by, of) => choices2.filter((each) => each[by] === of);
        const [choice2, ...others2] = same(key(type), value.trim());
        const translated = choice2?.[key(wanted)];
        const isClear = translated && others2.length === 0 && same(key(wanted), translated).length === 1;
        return isClear ? translated : void 0;
      }
    };
  }
  function fieldOf(node, kind) {
    const hidden = field(node, kind);
    const frame = hidden.get(0).nextElementSibling;
    const input2 = frame.querySelector(".red-ui-typedInput-input");
    return { hidden, frame, input: input2, type: field(node, `${kind}Type`) };
  }
  function createPicker(kind, { hidden, frame, input: input2 }, options) {
    const label = document.querySelector(`label[for="${hidden.attr("id")}"]`);
    const { look, entries, update, reload } = options;
    const opener = element(
      "button",
      {
        type: "button",
        className: "media-gateway-picker-open",
        tabIndex: -1,
        title: text("picker.open"),
        ariaLabel: text("picker.open")
      },
      element("i", { className: "fa fa-angle-down", ariaHidden: "true" })
    );
    const remark = element("span", {
      className: "media-gateway-picker-says",
      id: `media-gateway-picker-says-${kind}`,
      role: "status"
    });
    const reloader = element(
      "button",
      {
        type: "button",
        className: "media-gateway-picker-reload",
        title: text("picker.reload"),
        ariaLabel: text("picker.reload")
      },
      element("i", { className: "fa fa-refresh", ariaHidden: "true" })
    );
    const line = element("div", { className: "media-gateway-picker" }, remark, reloader);
    frame.append(opener);
    frame.parentElement.append(line);
    const isOn = () => TOLD.includes(entries()[kind].type);
    const isPicked = () => PICKED.includes(entries()[kind].type);
    const offer2 = () => {
      const { found } = look();
      return found && offerOf(kind, entries(), found);
    };
    const list2 = createList({
      input: input2,
      frame,
      label: text(`picker.list.${kind}`),
      isOn: isPicked,
      choices: () => {
        const offered = offer2();
        if (offered) return "why" in offered ? [] : offered.choices;
        return look().loading ? void 0 : [];
      },
      valueOf: ({ id, name }) => entries()[kind].type === "name" ? name : id,
      pick: ({ id, name }) => hidden.typedInput("value", entries()[kind].type === "name" ? name : id)
    });
    opener.addEventListener("mousedown", (event) => event.preventDefault());
    opener.addEventListener("click", list2.toggle);
    reloader.addEventListener("click", reload);
    input2.addEventListener("focus", update);
    if (label) {
      label.id ||= `media-gateway-picker-label-${kind}`;
      input2.setAttribute("aria-labelledby", label.id);
    }
    function show2() {
      const offers = isPicked();
      line.hidden = !isOn();
      opener.hidden = !offers;
      for (const [name, value, isGiven2] of [
        ["role", "combobox", offers],
        ["aria-autocomplete", "list", offers],
        ["aria-describedby", remark.id, isOn()]
      ]) {
        if (isGiven2) input2.setAttribute(name, value);
        else input2.removeAttribute(name);
      }
      if (offers) input2.ariaExpanded ??= "false";
      else {
        input2.removeAttribute("aria-expanded");
        list2.close();
      }
      if (!isOn()) return;
      line.classList.toggle("media-gateway-loading", look().loading);
      say(remark, lineOf(kind, entries()[kind], look(), offer2()));
      list2.show();
    }
    return { isOn, show: show2 };
  }
  function say(place2, parts) {
    const said = element("span", {}, ...parts);
    if (place2.innerHTML !== said.innerHTML) place2.replaceChildren(...said.childNodes);
  }
  function lineOf(kind, { type, value }, { loading, failure }, offer2) {
    if (failure) return failed(failure.code, failure.message);
    if (!offer2) return [text(loading ? "picker.loading" : "picker.notAsked")];
    if ("why" in offer2) return [offer2.why];
    const wanted = value.trim();
    const { choices: choices2 } = offer2;
    if (isVariable(wanted)) return [text("picker.variable")];
    if (wanted === "") return [text(`picker.number.${kind}`, { number: choices2.length })];
    if (type === "pattern") return fit(wanted, choices2);
    const fitting = choices2.filter((choice2) => choice2[type === "name" ? "name" : "id"] === wanted);
    const [found] = fitting;
    if (!found) {
      const isName = type === "id" && choices2.some(({ name }) => name === wanted);
      return [...warning(), text(isName ? "picker.nameNotId" : "picker.unknown")];
    }
    if (fitting.length > 1) {
      return [...warning(), text("picker.sameName", { number: fitting.length })];
    }
    return described(found, type);
  }
  function fit(pattern, choices2) {
    const names = fittingNames(pattern, choices2);
    if (names.length === 0) return [...warning(), text("picker.fitsNone")];
    const head = names.length === 1 ? text("picker.fitsOne") : text("picker.fits", { number: names.length });
    const more = names.length > MOST_NAMES ? ", \u2026" : "";
    return [`${head}: `, element("b", {}, names.slice(0, MOST_NAMES).join(", ")), more];
  }
  function described({ id, name, state }, type) {
    if (type !== "name") {
      return [signOf2(state), " ", ...name ? [element("b", {}, name), ", "] : [], state.word];
    }
    const small = element("span", { className: "media-gateway-picker-id" }, id);
    return [signOf2(state), ` ${state.word} \xB7 `, small];
  }
  function failed(code, message) {
    return code === void 0 ? [...warning(), message] : [...warning(), element("b", {}, titleOf(code)), `: ${message}`];
  }
  var PICKED, TOLD, MOST_NAMES, warning;
  var init_pickers = __esm({
    "nodes/editor/pickers/index.ts"() {
      "use strict";
      init_ask();
      init_checks();
      init_element();
      init_fields();
      init_text();
      init_choices();
      init_list();
      init_look();
      PICKED = ["id", "name"];
      TOLD = [...PICKED, "pattern"];
      MOST_NAMES = 5;
      warning = () => [
        element("i", {
          className: "fa fa-exclamation-triangle media-gateway-sign media-gateway-sign-warning",
          ariaHidden: "true"
        }),
        " "
      ];
    }
  });

  // client/model/json.ts
  function isObject(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  }
  function membersIn(value) {
    return Object.entries(value).filter(([name]) => name !== "__proto__");
  }
  function own(value, name) {
    return isObject(value) && Object.hasOwn(value, name) ? value[name] : void 0;
  }
  function isGiven(value) {
    return value !== void 0 && value !== null;
  }
  function isText(value) {
    return typeof value === "string" && value !== "";
  }
  function pathTo(path, name) {
    const shown3 = name.length > 60 ? `${name.slice(0, 60)}\u2026` : name;
    if (!/^[A-Za-z_$][\w$]*$/.test(shown3)) return `${path}[${JSON.stringify(shown3)}]`;
    return path ? `${path}.${shown3}` : shown3;
  }
  var init_json = __esm({
    "client/model/json.ts"() {
      "use strict";
    }
  });

  // client/model/members.ts
  function spellingOf({ oneOf = [], alsoSeen }, value) {
    if (typeof value !== "string") return void 0;
    if (oneOf.includes(value)) return value;
    const lower = value.toLowerCase();
    const other = alsoSeen && Object.hasOwn(alsoSeen, lower) ? alsoSeen[lower] : void 0;
    return oneOf.find((each) => each.toLowerCase() === lower) ?? other;
  }
  function isRedundant(part) {
    const mode = own(part, "srtGroupMode");
    return isText(mode) && spellingOf(GROUP_MODE, mode) !== "none";
  }
  function hasPaths(value) {
    return Array.isArray(value) && value.length > 0;
  }
  function membersOf(direction, protocol) {
    const tables = TABLES[direction];
    return tables.get(typeof protocol === "string" ? protocol : "") ?? tables.get("");
  }
  function anyMembersOf(direction) {
    return ANY[direction];
  }
  function withCommon(table, more) {
    const common = { ...COMMON, ...more };
    const tables = Object.entries(table).map(
      ([protocol, members]) => [protocol, new Map(Object.entries({ ...common, ...members }))]
    );
    return new Map([
      ...tables,
      ["", new Map(Object.entries(common))]
    ]);
  }
  function united(tables) {
    const all = /* @__PURE__ */ new Map();
    for (const [name, member] of [...tables.values()].flatMap((table) => [...table])) {
      const other = all.get(name);
      if (!other || other.readOnly === always) all.set(name, member);
      else if (member.oneOf && other.oneOf)
        all.set(name, { ...other, oneOf: [.../* @__PURE__ */ new Set([...other.oneOf, ...member.oneOf])] });
    }
    return all;
  }
  var always, unless, text2, flag, list, amount, shown, whole, choice, NAME, PORT, PLACE, TUNING, SRT_MODE, GROUP_MODE, RTMP_MODE, hasRtpPaths, isListener, isPublisher, isSrtListener, place, COMMON, PACKETS, SRT, DECORATION, SOURCE, UDP_DESTINATION, DESTINATION, PROTOCOLS, PROTOCOL, TABLES, ANY, ROUTE, ROUTE_NAMES, SECRET_NAMES;
  var init_members = __esm({
    "client/model/members.ts"() {
      "use strict";
      init_json();
      always = () => true;
      unless = (free) => (part) => !free(part);
      text2 = { kind: "text" };
      flag = { kind: "boolean" };
      list = { kind: "list" };
      amount = { kind: "number", min: 0, asText: "converted" };
      shown = { kind: "text", readOnly: always };
      whole = (min, max) => ({
        kind: "number",
        whole: true,
        min,
        max,
        asText: "converted"
      });
      choice = (...oneOf) => ({ kind: "choice", oneOf });
      NAME = { ...text2, min: 1, max: 60, required: always };
      PORT = whole(1, 65535);
      PLACE = ["address", "port", "networkInterface"];
      TUNING = ["mtu", "ttl", "tos"];
      SRT_MODE = choice("caller", "listener", "rendezvous");
      GROUP_MODE = choice("none", "broadcast", "backup", "any");
      RTMP_MODE = choice("PUBLISHER", "CONSUMER");
      hasRtpPaths = (part) => hasPaths(own(part, "rtpNetworkBondingParams"));
      isListener = (part) => spellingOf(SRT_MODE, own(part, "srtMode")) === "listener";
      isPublisher = (part) => spellingOf(RTMP_MODE, own(part, "rtmpMode")) === "PUBLISHER";
      isSrtListener = (part) => own(part, "protocol") === "srt" && isListener(part);
      place = (required) => ({
        address: { ...text2, required },
        port: { ...PORT, required },
        networkInterface: text2
      });
      COMMON = {
        id: text2,
        name: NAME,
        labels: list,
        tags: list,
        state: shown,
        started: shown,
        summaryStatusCode: shown,
        summaryStatusDetails: shown,
        usedBandwidth: shown,
        elapsedTime: shown,
        networkAddress: shown,
        clientConnections: shown,
        pendingUpdates: shown,
        hasPendingDelete: shown
      };
      PACKETS = {
        mtu: { ...whole(280, 1500), unit: "bytes" },
        ttl: whole(1, 255),
        tos: whole(0, 255)
      };
      SRT = {
        ...place(unless(isRedundant)),
        // A new listener without one is sent with that of all adapters.
        address: { ...text2, required: unless((part) => isRedundant(part) || isListener(part)) },
        srtMode: SRT_MODE,
        mode: { ...text2, sentAs: "srtMode" },
        // SRT's own rule; the appliance documents none.
        srtPassPhrase: { ...text2, min: 10, max: 79, mayBeEmpty: true, secret: true },
        srtLatency: { ...amount, unit: "ms" },
        srtRcvBuf: { ...amount, unit: "bytes" },
        srtStreamID: text2,
        useFec: flag,
        useFEC: { ...flag, sentAs: "useFec" },
        srtFecCols: amount,
        srtFecRows: amount,
        srtFecLayout: { ...choice("even", "staircase"), alsoSeen: { saircase: "staircase" } },
        srtFecArq: choice("never", "onreq", "always"),
        srtGroupMode: GROUP_MODE,
        srtNetworkBondingParams: { ...list, of: place(always), required: isRedundant }
      };
      DECORATION = {
        mode: shown,
        srtRcvBuf: shown,
        srtPassPhrase: shown,
        srtGroupMode: shown
      };
      SOURCE = {
        udp: { ...place(always), ...DECORATION, sourceAddress: text2 },
        rtp: {
          ...place(unless(hasRtpPaths)),
          ...DECORATION,
          sourceAddress: text2,
          retainHeader: flag,
          fec: choice("none", "prompeg"),
          rtpReceiverClass: choice("low", "moderate", "high"),
          rtpNetworkBondingParams: { ...list, of: { ...place(always), sourceAddress: text2 } }
        },
        srt: SRT,
        rtmp: {
          ...place(unless(isPublisher)),
          ...DECORATION,
          address: {
            ...text2,
            required: unless(isPublisher),
            // A publisher's address is only shown: it is the appliance itself (facts 5.2).
            readOnly: (part) => isPublisher(part) && /^127\.0\.0\.1(:\d+)?\/live/.test(String(own(part, "address")))
          },
          streamName: { ...text2, required: always },
          rtmpMode: { ...RTMP_MODE, required: always }
        },
        rtsp: {
          ...place(always),
          ...DECORATION,
          fec: choice("none", "vf"),
          username: text2,
          password: { ...text2, secret: true }
        }
      };
      UDP_DESTINATION = {
        ...place(always),
        ...PACKETS,
        mode: shown,
        fec: choice("none", "vf"),
        shaping: flag,
        maxBitrate: { ...amount, unit: "kbit/s" },
        encryption: text2
      };
      DESTINATION = {
        udp: UDP_DESTINATION,
        rtp: {
          ...UDP_DESTINATION,
          retainHeader: flag,
          fec: choice("none", "prompeg"),
          prompegFecLevel: choice("a", "b"),
          prompegFecIsBlockAligned: flag,
          prompegFecColumns: whole(1, 20),
          prompegFecRows: whole(4, 20)
        },
        srt: {
          ...SRT,
          ...PACKETS,
          retainHeader: flag,
          shaping: flag,
          maxBitrate: UDP_DESTINATION.maxBitrate,
          encryption: text2,
          srtEncryption: choice("AES128", "AES256", "None"),
          srtOverhead: { ...amount, asText: "written", unit: "%" },
          srtConnectionLimit: { ...amount, asText: "passed" },
          srtNetworkBondingParams: {
            ...list,
            of: { ...place(always), ...PACKETS },
            required: isRedundant
          }
        },
        hls: {
          mode: shown,
          address: shown,
          segmentDuration: { ...amount, asText: "converted", unit: "s" },
          useEncryption: flag,
          segmentsPerKey: amount,
          multitrackSegmenter: flag
        }
      };
      PROTOCOLS = {
        source: Object.keys(SOURCE),
        destination: Object.keys(DESTINATION)
      };
      PROTOCOL = {
        source: { ...choice(...PROTOCOLS.source), required: always },
        destination: { ...choice(...PROTOCOLS.destination), required: always }
      };
      TABLES = {
        source: withCommon(SOURCE, { encryption: shown, protocol: PROTOCOL.source }),
        destination: withCommon(DESTINATION, {
          protocol: PROTOCOL.destination,
          action: { ...choice("start", "stop", "none"), sentOnly: true }
        })
      };
      ANY = {
        source: united(TABLES.source),
        destination: united(TABLES.destination)
      };
      ROUTE = { name: NAME, startRoute: flag };
      ROUTE_NAMES = /* @__PURE__ */ new Set([
        "name",
        "startRoute",
        "source",
        "destinations",
        "id",
        "elapsedTime",
        "state",
        "pendingUpdates",
        "hasPendingDelete",
        "summaryStatusCode",
        "summaryStatusDetails",
        "label",
        "labels",
        "tags",
        "createdAt",
        "lastUpdateAt"
      ]);
      SECRET_NAMES = /* @__PURE__ */ new Set([
        "passcode",
        "sessionID",
        ...[...ANY.source, ...ANY.destination].filter(([, member]) => member.secret).map(([name]) => name)
      ]);
    }
  });

  // client/model/convert.ts
  function forCreate(fields) {
    return {
      ...fields,
      source: withAddress(withoutIdentity(fields.source)),
      destinations: fields.destinations.map((one) => withAddress(withoutIdentity(one)))
    };
  }
  function withAddress(part, present) {
    const lacksAddress = isSrtListener(part) && !isRedundant(part) && !isText(part.address);
    if (!lacksAddress) return part;
    const listens = present !== void 0 && isSrtListener(present) && !isRedundant(present);
    const address = listens ? present.address : EVERY_ADAPTER;
    return isText(address) ? { ...part, address } : part;
  }
  function withoutIdentity(part) {
    const members = membersIn(part).filter(
      ([name, value]) => name !== "id" && !(name === "action" && value === "none")
    );
    return Object.fromEntries(members);
  }
  function partToSent(direction, part, context = part) {
    if (!isObject(part)) return {};
    const protocol = protocolOf(direction, context);
    const members = membersOf(direction, protocol);
    const isRenamed = ([name]) => members.get(name)?.sentAs !== void 0;
    const given = membersIn(part);
    const sent = {};
    for (const [name, value] of [...given.filter(isRenamed), ...given.filter((m) => !isRenamed(m))]) {
      const member = members.get(name);
      const sentName = member?.sentAs ?? name;
      if (member?.readOnly?.(context)) continue;
      if (value === "" && member?.asText === "converted") continue;
      if (!isGiven(value) && Object.hasOwn(sent, sentName)) continue;
      const sentAs = members.get(sentName) ?? member;
      sent[sentName] = name === "protocol" && isGiven(value) ? protocol : asSent(value, sentAs);
    }
    return protocol === "srt" && isRedundant(sent) ? withPaths(sent) : sent;
  }
  function protocolOf(direction, part) {
    const protocol = own(part, "protocol");
    const spelled = spellingOf(PROTOCOL[direction], protocol);
    if (spelled !== void 0 || direction === "source") return spelled ?? protocol;
    const mode = own(part, "mode");
    const isHls = isWord(protocol, "http") && (!isGiven(mode) || isWord(mode, "hls"));
    return isHls ? "hls" : protocol;
  }
  function asSent(value, member) {
    if (member?.asText === "converted") return numberFrom(value);
    if (member?.kind === "choice") return spellingOf(member, value) ?? value;
    if (member?.asText === "written" && typeof value === "number") return String(value);
    if (member?.kind === "boolean" && isBooleanText(value)) return value === "true";
    if (member?.of && Array.isArray(value)) {
      const { of } = member;
      return value.map((item) => isObject(item) ? pathAsSent(item, of) : item);
    }
    return value;
  }
  function pathAsSent(path, of) {
    return Object.fromEntries(
      membersIn(path).map(([name, value]) => [
        name,
        asSent(value, Object.hasOwn(of, name) ? of[name] : void 0)
      ])
    );
  }
  function withPaths(part) {
    const carried = hasPaths(part.srtNetworkBondingParams) ? part.srtNetworkBondingParams : void 0;
    if (!carried && !PLACE.some((name) => isJoined(part[name]))) return part;
    const moved = [
      ...PLACE.filter((name) => isGiven(part[name])),
      ...TUNING.filter((name) => isJoined(part[name]))
    ];
    const spread = moved.filter((name) => !carried || TUNING.some((tuning) => tuning === name)).map((name) => ({ name, values: isJoined(part[name]) ? part[name].split("|") : [part[name]] }));
    const paths = carried ?? emptyPaths(Math.max(...spread.map(({ values }) => values.length)));
    const rest = membersIn(part).filter(([name]) => !moved.includes(name));
    return {
      ...Object.fromEntries(rest),
      srtNetworkBondingParams: paths.map((path, index) => {
        if (!isObject(path)) return path;
        const missing = spread.map(({ name, values }) => [name, values.length > 1 ? values[index] : values[0]]).filter(([name, value]) => isGiven(value) && !Object.hasOwn(path, name)).map(([name, value]) => [name, IS_TEXT.has(name) ? value : numberFrom(value)]);
        return { ...path, ...Object.fromEntries(missing) };
      })
    };
  }
  function numberFrom(value) {
    return isNumeric(value) ? Number(value) : value;
  }
  function isNumeric(value) {
    return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value);
  }
  var EVERY_ADAPTER, isWord, IS_TEXT, emptyPaths, isJoined, isBooleanText;
  var init_convert = __esm({
    "client/model/convert.ts"() {
      "use strict";
      init_json();
      init_members();
      EVERY_ADAPTER = "0.0.0.0";
      isWord = (value, word2) => typeof value === "string" && value.toLowerCase() === word2;
      IS_TEXT = /* @__PURE__ */ new Set(["address", "networkInterface"]);
      emptyPaths = (count) => Array.from({ length: count }, () => ({}));
      isJoined = (value) => typeof value === "string" && value.includes("|");
      isBooleanText = (value) => value === "true" || value === "false";
    }
  });

  // client/model/ids.ts
  function matcher(destinations) {
    const byId = indexed(destinations, "id", plainId);
    const byName = indexed(destinations, "name");
    return (entry) => {
      const id = own(entry, "id");
      const name = own(entry, "name");
      if (isText(id)) return byId.get(plainId(id)) ?? [];
      return isText(name) ? byName.get(name) ?? [] : [];
    };
  }
  function indexed(destinations, member, keyOf2 = (value) => value) {
    const indexes = /* @__PURE__ */ new Map();
    for (const [index, destination] of destinations.entries()) {
      const value = own(destination, member);
      if (!isText(value)) continue;
      const others2 = indexes.get(keyOf2(value));
      if (others2) others2.push(index);
      else indexes.set(keyOf2(value), [index]);
    }
    return indexes;
  }
  var isUuid, plainId, isSameId;
  var init_ids = __esm({
    "client/model/ids.ts"() {
      "use strict";
      init_json();
      isUuid = (id) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
      plainId = (id) => isUuid(id) ? id.toLowerCase() : id;
      isSameId = (one, other) => isText(one) && isText(other) && plainId(one) === plainId(other);
    }
  });

  // client/model/secrets.ts
  function isSecret(name) {
    return SECRET_NAMES.has(name);
  }
  function pathsOf(fits3, value, path = "", name = "") {
    if (fits3(value, name)) return [path];
    if (Array.isArray(value))
      return value.flatMap((item, index) => pathsOf(fits3, item, `${path}[${index}]`));
    if (!isObject(value)) return [];
    return membersIn(value).flatMap(
      ([inside, member]) => pathsOf(fits3, member, pathTo(path, inside), inside)
    );
  }
  var HIDDEN, isMasked, isSign, findHidden, findVariables;
  var init_secrets = __esm({
    "client/model/secrets.ts"() {
      "use strict";
      init_json();
      init_members();
      init_ids();
      HIDDEN = "\u2022\u2022\u2022\u2022\u2022\u2022";
      isMasked = (value) => isText(value) && /^([*•●])\1{2,}$/.test(value);
      isSign = (value, name) => value === HIDDEN || isSecret(name) && isMasked(value);
      findHidden = (value) => pathsOf(isSign, value);
      findVariables = (value) => pathsOf((secret, name) => isSecret(name) && isText(secret) && /\$\{[^}]+\}/.test(secret), value);
    }
  });

  // client/model/check.ts
  function checkCreate(input2, options = {}) {
    return checkRoute(input2, (route) => [
      ...checkStart(route),
      ...checkName(route, options),
      ...checkSource(route, options),
      ...isGiven(own(route, "destinations")) ? checkDestinations(route, options) : []
    ]);
  }
  function checkUpdate(input2, mode, options = {}) {
    return checkRoute(input2, (route) => [...refuseStart(route), ...CHECK_MODE[mode](route, options)]);
  }
  function checkRoute(input2, inside) {
    if (!isObject(input2)) {
      const problem = `is ${sortOf(input2)}; it must be an object with name, source and destinations`;
      return [{ path: "", problem }];
    }
    const problems = [
      ...checkNames(input2),
      ...refuseState(input2),
      ...inside(input2),
      ...refuseVariables(input2)
    ];
    return [...new Map(problems.map((one) => [`${one.path} ${one.problem}`, one])).values()];
  }
  function checkNames(route) {
    return Object.keys(route).filter((name) => !ROUTE_NAMES.has(name)).map((name) => ({ path: pathTo("", name), problem: `is not known here; ${suggestion(name)}` }));
  }
  function checkStart(route) {
    return faultsOf(ROUTE.startRoute, own(route, "startRoute"), "startRoute");
  }
  function isAsRead(route) {
    const destinations = own(route, "destinations");
    const has = (part, names) => names.some((name) => isGiven(own(part, name)));
    return has(route, ONLY_READ) || has(own(route, "source"), ["id", ...ONLY_READ_OF_PARTS]) || Array.isArray(destinations) && destinations.some((one) => has(one, ONLY_READ_OF_PARTS));
  }
  function refuseState(route) {
    const state = own(route, "state");
    if (!isGiven(state) || state === "" || isAsRead(route)) return [];
    const problem = "cannot be set by a definition; use startRoute for a new route, control route for an existing one, or the wanted state of ensure route";
    return [{ path: "state", problem }];
  }
  function refuseVariables(route) {
    const problem = "contains ${\u2026}, which is not replaced here and would be sent as the secret itself; give the secret";
    return findVariables(route).map((path) => ({ path, problem }));
  }
  function refuseStart(route) {
    if (!isGiven(own(route, "startRoute")) || isAsRead(route)) return [];
    const problem = "is for creating a route only; start or stop an existing route by its own command";
    return [{ path: "startRoute", problem }];
  }
  function checkName(route, { validate = true }) {
    const member = ROUTE.name;
    const name = own(route, "name");
    if (!isText(name)) return [{ path: "name", problem: fault(member, name) }];
    return validate ? faultsOf(member, name, "name") : [];
  }
  function checkSource(route, { validate = true }) {
    const source = own(route, "source");
    if (!isObject(source)) return [notAnObject("source", source)];
    return validate ? checkPart("source", source, "source") : [];
  }
  function checkDestinations(route, { validate = true }) {
    const destinations = own(route, "destinations");
    if (!Array.isArray(destinations)) {
      const problem = `is ${sortOf(destinations)}; it must be a list of objects ([] for no destinations)`;
      return [{ path: "destinations", problem }];
    }
    const problems = Array.from(destinations).flatMap((destination, index) => {
      const path = `destinations[${index}]`;
      if (!isObject(destination)) return [notAnObject(path, destination)];
      return validate ? checkPart("destination", destination, path) : [];
    });
    return validate ? [...problems, ...checkRepeats(destinations)] : problems;
  }
  function checkSourcePatch(route, { validate = true }) {
    const source = own(route, "source");
    if (source === void 0) return [];
    if (!isObject(source)) return [notAnObject("source", source)];
    return validate ? checkPatch("source", source, "source") : [];
  }
  function checkDestinationPatches(destinations, { validate = true }) {
    if (!isGiven(destinations)) return [];
    if (Array.isArray(destinations)) {
      const problems = Array.from(destinations).flatMap((patch, index) => {
        const path = `destinations[${index}]`;
        if (!isObject(patch)) return [notAnObject(path, patch)];
        return [
          ...isText(own(patch, "id")) || isText(own(patch, "name")) ? [] : [{ path, problem: NO_IDENTITY }],
          ...validate ? checkPatch("destination", patch, path) : []
        ];
      });
      return validate ? [...problems, ...checkRepeats(destinations)] : problems;
    }
    if (isObject(destinations)) {
      return membersIn(destinations).flatMap(([key, patch]) => {
        const path = pathTo("destinations", key);
        if (patch === null) return [];
        if (!isObject(patch)) return [notAnObject(path, patch)];
        return validate ? checkPatch("destination", patch, path) : [];
      });
    }
    const problem = `is ${sortOf(destinations)}; it must be a list of objects, or an object with one member per destination`;
    return [{ path: "destinations", problem }];
  }
  function checkPart(direction, part, path) {
    const sent = partToSent(direction, part);
    return [...membersOf(direction, sent.protocol)].flatMap(([name, member]) => {
      const value = own(sent, name);
      const isMissing = !isGiven(value) || value === "" || member.of && !hasPaths(value);
      if (isMissing && member.required?.(sent))
        return [{ path: pathAsGiven(direction, part, path, name), problem: fault(member, value) }];
      return faultsOf(member, value, path, (below) => pathAsGiven(direction, part, path, name, below));
    });
  }
  function checkPatch(direction, patch, path, context = patch) {
    const protocol = protocolOf(direction, context) ?? (isRedundant(context) ? "srt" : void 0);
    const isKnown2 = PROTOCOLS[direction].some((known) => known === protocol);
    const sent = isKnown2 ? partToSent(direction, patch, { ...context, protocol }) : patch;
    const members = isKnown2 ? membersOf(direction, protocol) : anyMembersOf(direction);
    return membersIn(sent).flatMap(([name, value]) => {
      const member = members.get(name);
      if (!member || !isKnown2 && (member.sentAs || member.readOnly)) return [];
      const at = (below = "") => pathAsGiven(direction, patch, path, name, below);
      if (value === null && LASTING.has(name))
        return [{ path: at(), problem: "is null; this member cannot be removed" }];
      return faultsOf(member, value, path, at);
    });
  }
  function pathAsGiven(direction, part, path, name, below = "") {
    if (name === "srtNetworkBondingParams" && below && !hasPaths(own(part, name)))
      return path + below.replace(/^\[\d+\]/, "");
    if (Object.hasOwn(part, name)) return pathTo(path, name) + below;
    const members = anyMembersOf(direction);
    const given = Object.keys(part).find((key) => members.get(key)?.sentAs === name);
    return pathTo(path, given ?? name) + below;
  }
  function checkRepeats(destinations) {
    return ["id", "name"].flatMap((name) => {
      const first = /* @__PURE__ */ new Map();
      return destinations.flatMap((destination, index) => {
        const value = own(destination, name);
        if (!isText(value)) return [];
        const key = name === "id" ? plainId(value) : value;
        const other = first.get(key);
        if (other === void 0) first.set(key, index);
        const [id, otherId] = [destination, destinations[other ?? index]].map((one) => own(one, "id"));
        const areTold = isText(id) && isText(otherId) && !isSameId(id, otherId);
        if (other === void 0 || areTold) return [];
        const problem = `is the ${name} of destinations[${other}] too; each destination has its own`;
        return [{ path: `destinations[${index}].${name}`, problem }];
      });
    });
  }
  function faultsOf(member, value, path, at = () => path) {
    if (!isGiven(value) || IS_FINE[member.kind](member, value)) {
      return member.of && Array.isArray(value) ? checkList(member.of, value, at) : [];
    }
    return [{ path: at(""), problem: fault(member, value) }];
  }
  function checkList(of, items, at) {
    return items.flatMap((item, index) => {
      if (!isObject(item)) return [notAnObject(at(`[${index}]`), item)];
      return Object.entries(of).flatMap(([name, member]) => {
        const value = own(item, name);
        const path = at(`[${index}].${name}`);
        if ((!isGiven(value) || value === "") && member.required?.(item))
          return [{ path, problem: fault(member, value) }];
        return faultsOf(member, value, path);
      });
    });
  }
  function isInRange({ min = -Infinity, max = Infinity, whole: whole2 }, value) {
    return value >= min && value <= max && (!whole2 || Number.isInteger(value));
  }
  function fault(member, value) {
    return `is ${isGiven(value) ? shown2(member, value) : sortOf(value)}; it must be ${EXPECTED[member.kind](member)}`;
  }
  function shown2(member, value) {
    if (value === "") return "empty";
    if (member.secret && typeof value === "number") return "a number";
    if (typeof value !== "string") return sortOf(value);
    if (member.secret) return `text of ${value.length} characters`;
    if (member.kind === "text") return `${excerpt(value)} (${value.length} characters)`;
    return excerpt(value);
  }
  function range({ min, max }) {
    if (max !== void 0) return ` from ${min ?? 0} to ${max}`;
    return min === void 0 ? "" : ` of at least ${min}`;
  }
  function notAnObject(path, value) {
    return { path, problem: `is ${sortOf(value)}; it must be an object` };
  }
  function sortOf(value) {
    if (value === void 0) return "missing";
    if (value === null) return "null";
    if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
    if (isObject(value)) return "an object";
    switch (typeof value) {
      case "string":
        return "text";
      case "number":
      case "boolean":
      case "bigint":
        return excerpt(String(value)).slice(1, -1);
      case "object":
        return "no plain object";
      default:
        return `a ${typeof value}`;
    }
  }
  function suggestion(name) {
    const near = [...ROUTE_NAMES].map((other) => ({ other, distance: name.length > 30 ? Infinity : distance(name, other) })).sort((a, b) => a.distance - b.distance)[0];
    const isNear = near && near.distance < name.length && near.distance <= near.other.length / 2;
    if (isNear) return `did you mean ${near.other}?`;
    return "a route has name, source and destinations";
  }
  function distance(from, to) {
    let row = Array.from({ length: to.length + 1 }, (_, index) => index);
    for (const [i, letter] of from.toLowerCase().split("").entries()) {
      const next = [i + 1];
      for (const [j, other] of to.toLowerCase().split("").entries()) {
        next.push(Math.min(row[j] + (letter === other ? 0 : 1), row[j + 1] + 1, next[j] + 1));
      }
      row = next;
    }
    return row[to.length];
  }
  var CHECK_MODE, PARTS, CHECK_PART, NOTHING_GIVEN, ONLY_READ_OF_PARTS, ONLY_READ, NO_IDENTITY, LASTING, IS_FINE, excerpt, EXPECTED;
  var init_check = __esm({
    "client/model/check.ts"() {
      "use strict";
      init_json();
      init_members();
      init_convert();
      init_ids();
      init_secrets();
      CHECK_MODE = {
        keep(route, options) {
          const given = PARTS.filter((name) => own(route, name) !== void 0);
          if (given.length === 0) return [{ path: "", problem: NOTHING_GIVEN }];
          return given.flatMap((name) => CHECK_PART[name](route, options));
        },
        replace: (route, options) => [
          ...checkName(route, options),
          ...checkSource(route, options),
          ...own(route, "destinations") !== void 0 ? checkDestinations(route, options) : []
        ],
        merge: (route, options) => [
          ...own(route, "name") !== void 0 ? checkName(route, options) : [],
          ...checkSourcePatch(route, options),
          ...checkDestinationPatches(own(route, "destinations"), options)
        ]
      };
      PARTS = ["name", "source", "destinations"];
      CHECK_PART = { name: checkName, source: checkSource, destinations: checkDestinations };
      NOTHING_GIVEN = "has none of name, source and destinations; give at least one of them";
      ONLY_READ_OF_PARTS = ["state", "started", "summaryStatusCode"];
      ONLY_READ = [
        "elapsedTime",
        "pendingUpdates",
        "hasPendingDelete",
        "summaryStatusCode",
        "summaryStatusDetails",
        "createdAt",
        "lastUpdateAt"
      ];
      NO_IDENTITY = "has neither id nor name; one of them tells which destination is meant";
      LASTING = /* @__PURE__ */ new Set(["id", "name", "protocol"]);
      IS_FINE = {
        boolean: (_, value) => typeof value === "boolean" || isBooleanText(value),
        list: (_, value) => Array.isArray(value) || value === "",
        choice: (member, value) => value === "" ? !member.required : spellingOf(member, value) !== void 0,
        number(member, value) {
          if (member.asText && isNumeric(value)) return isInRange(member, Number(value));
          if (member.asText && value === "") return true;
          return typeof value === "number" && Number.isFinite(value) && isInRange(member, value);
        },
        text(member, value) {
          if (typeof value !== "string") return false;
          const passes = value === "" && member.mayBeEmpty || member.secret && isMasked(value);
          return passes || isInRange(member, value.length);
        }
      };
      excerpt = (value) => JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}\u2026` : value);
      EXPECTED = {
        boolean: () => "true or false",
        list: ({ of }) => of ? "a list of objects, one for each path" : "a list",
        choice: ({ oneOf = [] }) => `one of ${oneOf.join(", ")}`,
        number: (member) => `${member.whole ? "a whole number" : "a number"}${range(member)}`,
        text({ min, max, mayBeEmpty }) {
          const length = max === void 0 ? "" : ` of ${min ?? 0} to ${max} characters`;
          return `text${length}${mayBeEmpty ? ", or empty" : ""}`;
        }
      };
    }
  });

  // client/model/definition.ts
  function checkDefinition(definition, use, options) {
    if (use.kind === "create") return checkNewRoute(definition, options);
    if (use.kind === "update") return checkUpdate(definition, use.mode, options);
    const wanted = { state: use.state, ...options };
    if (!Array.isArray(definition)) return checkWanted(definition, wanted);
    return definition.flatMap(
      (row, index) => checkWanted(row, wanted).map(({ path, problem }) => ({
        path: `[${index}]${path && `.${path}`}`,
        problem
      }))
    );
  }
  function checkNewRoute(definition, options) {
    const problems = checkCreate(definition, options);
    if (problems.length > 0) return problems;
    const problem = "is the sign for a hidden value; a new route needs the value itself";
    return findHidden(definition).map((path) => ({ path, problem }));
  }
  function checkWanted(row, { state, validate }) {
    const problems = checkUpdate(withoutStart(row), "merge", { validate });
    const counting = state === "absent" ? problems.filter(tellsWhich) : problems;
    if (counting.length === 0 && !isText(own(row, "id")) && !isText(own(row, "name"))) {
      problems.push({
        path: "",
        problem: "has neither id nor name; one of them tells which route is meant"
      });
    }
    const destinations = own(row, "destinations");
    if (Array.isArray(destinations)) {
      destinations.forEach((destination, index) => {
        const action = own(destination, "action");
        if (!isGiven(action) || action === "none") return;
        const problem = "is no wanted state; start or stop a destination with control-route";
        problems.push({ path: `destinations[${index}].action`, problem });
      });
    } else if (destinations !== void 0) {
      problems.push({ path: "destinations", problem: "must be a list of the wanted destinations" });
    }
    const start = own(row, "startRoute");
    if (start !== void 0 && typeof start !== "boolean") {
      problems.push({ path: "startRoute", problem: "must be true or false" });
    }
    return state === "absent" ? problems.filter(tellsWhich) : problems;
  }
  function withoutStart(row) {
    if (!isObject(row)) return row;
    const { startRoute: _, ...rest } = row;
    return rest;
  }
  var tellsWhich;
  var init_definition = __esm({
    "client/model/definition.ts"() {
      "use strict";
      init_check();
      init_json();
      init_secrets();
      tellsWhich = ({ path }) => ["", "name", "state"].includes(path);
    }
  });

  // nodes/editor/route-form/model.ts
  function routeFields(route, use) {
    const known = new Map([
      ...Object.entries(ROUTE),
      ["id", { kind: "text" }],
      ...PARTS2.map((name) => [name, { kind: "list" }])
    ]);
    const fields = [...known].filter(([name]) => name in ROUTE || name === "id").map(([name, member]) => fieldOf2(name, name, member, own(route, name), use.needsName === true)).filter(isPresentable).filter(({ name, value }) => name === "name" || value !== void 0);
    const shown3 = [...fields.map(({ key }) => key), ...PARTS2.filter((name) => isPart(route, name))];
    return {
      first: fields.filter(({ name }) => name === "name"),
      more: fields.filter(({ name }) => name !== "name"),
      others: Object.keys(route).filter((key) => !shown3.includes(key))
    };
  }
  function isPart(route, name) {
    return name === "source" ? isObject(own(route, name)) : Array.isArray(own(route, name));
  }
  function partFields(direction, part, use = {}) {
    const sent = partToSent(direction, part);
    const applying = applyingNames(direction, part, use);
    const fields = [...membersFor(direction, part, use)].filter(([, member]) => member.sentAs === void 0 && !member.readOnly?.(part)).map(([name, member]) => {
      const key = keyOf(direction, part, name);
      const given = own(part, key);
      const value = name === "protocol" && isGiven(given) ? protocolOf(direction, part) : given;
      return fieldOf2(name, key, member, value, !use.partial && member.required?.(sent) === true);
    }).filter(isPresentable).filter(({ name, value }) => applying.has(name) || value !== void 0);
    return arranged(fields, part);
  }
  function pathFields(list2, path) {
    const fields = Object.entries(list2.of ?? {}).map(
      ([name, member]) => fieldOf2(name, name, member, own(path, name), member.required?.(path) === true)
    ).filter(isPresentable);
    return arranged(fields, path);
  }
  function fieldOf2(name, key, member, value, required) {
    return { name, key, member, value, required };
  }
  function isListOfPaths(value) {
    return !isGiven(value) || value === "" || Array.isArray(value) && value.every(isObject);
  }
  function arranged(fields, part) {
    const rank = ({ name }) => FIRST.includes(name) ? FIRST.indexOf(name) : 100 + LAST.indexOf(name);
    const ordered = [...fields].sort((a, b) => rank(a) - rank(b));
    const keys = new Set(fields.map(({ key }) => key));
    return {
      first: ordered.filter(({ name }) => FIRST.includes(name)),
      more: ordered.filter(({ name }) => !FIRST.includes(name)),
      others: Object.keys(part).filter((key) => !keys.has(key))
    };
  }
  function membersFor(direction, part, { partial }) {
    const protocol = protocolOf(direction, part);
    if (partial && !isGiven(protocol)) return anyMembersOf(direction);
    return membersOf(direction, protocol);
  }
  function keyOf(direction, part, name) {
    if (isGiven(own(part, name))) return name;
    const protocol = protocolOf(direction, part);
    if (!isKnown(direction, protocol)) return name;
    const other = [...membersOf(direction, protocol)].find(
      ([key, { sentAs }]) => sentAs === name && Object.hasOwn(part, key)
    );
    return other ? other[0] : name;
  }
  function applyingNames(direction, part, use) {
    const sent = partToSent(direction, part);
    const isOpen = use.partial === true && !isGiven(protocolOf(direction, part));
    return new Set(
      sendableNames(direction, part, use).filter((name) => {
        const applies = USES[name] ?? (isOpen ? void 0 : APPLIES[name]);
        return applies === void 0 || applies(sent, use);
      })
    );
  }
  function sendableNames(direction, part, use) {
    return [...membersFor(direction, part, use)].filter(([, member]) => member.sentAs === void 0 && !member.readOnly?.(part)).map(([name]) => name);
  }
  function textOf({ kind, of }, value) {
    if (!isGiven(value)) return "";
    if (kind === "list") {
      if (of) return void 0;
      if (value === "") return "";
      const isPlain = Array.isArray(value) && value.every((item) => isListed(item));
      return isPlain ? value.join(", ") : void 0;
    }
    if (typeof value === "string") return value;
    return typeof value === "number" || typeof value === "boolean" ? String(value) : void 0;
  }
  function valueOf(member, typed, before) {
    if (typed === textOf(member, before)) return before;
    if (typed === "") return member.mayBeEmpty && isMasked(before) ? "" : void 0;
    switch (member.kind) {
      case "number":
        return numberOf(typed.trim(), member.asText !== "converted" && typeof before !== "number");
      case "boolean":
        return typed === "true" || (typed === "false" ? false : typed);
      case "list": {
        const items = typed.split(",").map((item) => item.trim());
        return items.filter((item) => item !== "");
      }
      default:
        return typed;
    }
  }
  function numberOf(typed, asText) {
    if (typed === "") return void 0;
    const isNumber = /^-?\d+(\.\d+)?$/.test(typed) && Number.isFinite(Number(typed));
    return isNumber && !asText ? Number(typed) : typed;
  }
  function withMember(object, key, value, order = ORDER_OF_ROUTE) {
    const members = Object.entries(object);
    if (value === void 0) return Object.fromEntries(members.filter(([name]) => name !== key));
    if (Object.hasOwn(object, key))
      return Object.fromEntries(members.map(([name, old]) => [name, name === key ? value : old]));
    const later = order.slice(order.indexOf(key) + 1);
    const at = order.includes(key) ? members.findIndex(([name]) => later.includes(name)) : -1;
    const added = [key, value];
    return Object.fromEntries(
      at < 0 ? [...members, added] : [...members.slice(0, at), added, ...members.slice(at)]
    );
  }
  function edit(direction, { part, parked }, { name, key }, value, use = {}) {
    let next = withPart(direction, part, key, value);
    const kept = [...parked];
    const protocol = protocolOf(direction, part);
    const applies = applyingNames(direction, next, use);
    const members = membersFor(direction, next, use);
    const isOther = name === "protocol";
    const before = isOther ? sendableNames(direction, part, use) : applyingNames(direction, part, use);
    for (const other of before) {
      const otherKey = keyOf(direction, part, other);
      if (other === name || !Object.hasOwn(next, otherKey)) continue;
      if (applies.has(other) && (!isOther || isOffered(members.get(other), next[otherKey]))) continue;
      kept.push({ name: other, key: otherKey, value: next[otherKey], protocol });
      next = withPart(direction, next, otherKey, void 0);
    }
    if (isOther && own(next, "mode") === "hls") next = withMember(next, "mode", void 0);
    if (name === "srtGroupMode" && isRedundant(next)) next = withFirstPath(direction, next, kept);
    const present = protocolOf(direction, next);
    for (; ; ) {
      const applying = applyingNames(direction, next, use);
      const at = kept.findIndex((one) => {
        if (one.name === name || Object.hasOwn(next, one.key)) return false;
        const isBack = one.protocol === present;
        return isOther ? isBack : isBack && applying.has(one.name);
      });
      if (at < 0) return { part: next, parked: kept };
      const [found] = kept.splice(at, 1);
      next = withPart(direction, next, found.key, found.value);
    }
  }
  function isOffered(member, value) {
    if (!member?.oneOf || typeof value !== "string") return true;
    return spellingOf(member, value) !== void 0;
  }
  function withFirstPath(direction, part, parked) {
    const list2 = "srtNetworkBondingParams";
    const place2 = parked.filter(
      ({ name, value }) => PLACE.some((each) => each === name) && isGiven(value)
    );
    const hasList = hasPaths(own(part, list2)) || parked.some(({ name }) => name === list2);
    if (hasList || place2.length === 0) return part;
    const path = Object.fromEntries(place2.map(({ name, value }) => [name, value]));
    return withPart(direction, part, list2, [path]);
  }
  function withPart(direction, part, key, value) {
    const order = [.../* @__PURE__ */ new Set([...FIRST, ...anyMembersOf(direction).keys()])];
    return withMember(part, key, value, order);
  }
  function removedDestinations(definition, mode, present) {
    if (mode === "merge") return [];
    const given = own(definition, "destinations");
    if (mode === "keep" && !Array.isArray(given)) return [];
    const find = matcher(present);
    const kept = new Set(Array.isArray(given) ? given.flatMap((entry) => find(entry)) : []);
    return present.filter((_, index) => !kept.has(index));
  }
  function parseDefinition(text5) {
    if (text5.trim() === "") return {};
    try {
      const value = JSON.parse(text5);
      return isObject(value) ? value : void 0;
    } catch {
      return void 0;
    }
  }
  var FIRST, LAST, ORDER_OF_ROUTE, PARTS2, isPresentable, isKnown, when, both, withFec, isPublisher2, onePlace, APPLIES, USES, isListed;
  var init_model = __esm({
    "nodes/editor/route-form/model.ts"() {
      "use strict";
      init_json();
      init_convert();
      init_members();
      init_ids();
      init_secrets();
      FIRST = [
        "name",
        "protocol",
        "srtMode",
        "rtmpMode",
        "srtGroupMode",
        ...PLACE,
        "srtNetworkBondingParams",
        "streamName",
        "srtLatency",
        "srtEncryption",
        "srtPassPhrase",
        "username",
        "password",
        "segmentDuration"
      ];
      LAST = ["labels", "tags", "encryption", "action", "id"];
      ORDER_OF_ROUTE = ["id", ...Object.keys(ROUTE), "source", "destinations"];
      PARTS2 = ["source", "destinations"];
      isPresentable = ({ member, value }) => member.of ? isListOfPaths(value) : textOf(member, value) !== void 0;
      isKnown = (direction, protocol) => PROTOCOLS[direction].some((known) => known === protocol);
      when = (name, ...values) => (sent, { partial }) => {
        const value = own(sent, name);
        if (!isGiven(value)) return partial === true;
        return values.includes(typeof value === "string" ? value.toLowerCase() : value);
      };
      both = (one, other) => (sent, use) => one(sent, use) && other(sent, use);
      withFec = both(when("srtMode", "caller"), when("useFec", true));
      isPublisher2 = when("rtmpMode", "publisher");
      onePlace = (sent) => !isRedundant(sent) && !isPublisher2(sent, {});
      APPLIES = {
        address: onePlace,
        port: onePlace,
        networkInterface: onePlace,
        srtGroupMode: (sent) => !when("srtMode", "rendezvous")(sent, {}),
        srtNetworkBondingParams: isRedundant,
        srtStreamID: when("srtMode", "caller"),
        useFec: when("srtMode", "caller"),
        srtFecCols: withFec,
        srtFecRows: withFec,
        srtFecLayout: withFec,
        srtFecArq: withFec,
        srtConnectionLimit: when("srtMode", "listener"),
        rtpReceiverClass: (sent) => hasPaths(own(sent, "rtpNetworkBondingParams")),
        prompegFecLevel: when("fec", "prompeg"),
        prompegFecIsBlockAligned: when("fec", "prompeg"),
        prompegFecColumns: when("fec", "prompeg"),
        prompegFecRows: when("fec", "prompeg"),
        segmentsPerKey: when("useEncryption", true)
      };
      USES = {
        id: (_, { isNew }) => !isNew,
        action: (_, { isState }) => !isState,
        // Seen in answers; what a request could say with it is not documented.
        encryption: () => false
      };
      isListed = (item) => typeof item === "string" && item !== "" && item.trim() === item && !item.includes(",");
    }
  });

  // nodes/editor/route-form/text.ts
  function text3(key, values) {
    return text(`routeForm.${key}`, values);
  }
  function textOr(key, words) {
    const found = text3(key);
    return found.endsWith(`routeForm.${key}`) ? words : found;
  }
  var labelOf;
  var init_text2 = __esm({
    "nodes/editor/route-form/text.ts"() {
      "use strict";
      init_text();
      labelOf = (name) => textOr(`member.${name}`, name);
    }
  });

  // nodes/editor/route-form/appliance.ts
  async function readDefinition(node, routeId, deviceId) {
    const { definition } = await askAbout(node, "definition", {
      deviceId: deviceId || deviceOf(node),
      routeId
    });
    return definition;
  }
  function deviceOf(node) {
    return field(node, "deviceType").val() === "id" ? field(node, "device").val() || void 0 : void 0;
  }
  function gatewayOf(node) {
    const id = field(node, "gateway").val();
    return id ? RED.nodes.node(id) ?? void 0 : void 0;
  }
  async function askAbout(node, path, what, options) {
    const gateway2 = gatewayOf(node);
    if (!gateway2) throw new Unanswered(text3("fill.noGateway"));
    return askAppliance(path, gateway2, what, options);
  }
  var lookUp, hasGateway;
  var init_appliance = __esm({
    "nodes/editor/route-form/appliance.ts"() {
      "use strict";
      init_ask();
      init_connection();
      init_fields();
      init_text2();
      lookUp = (node, deviceId, options) => askAbout(node, "lookup", { deviceId: deviceId || deviceOf(node) }, options);
      hasGateway = (node) => gatewayOf(node) !== void 0;
    }
  });

  // nodes/editor/route-form/context.ts
  var counter2, newId;
  var init_context = __esm({
    "nodes/editor/route-form/context.ts"() {
      "use strict";
      counter2 = 0;
      newId = (prefix) => `${prefix}-${counter2++}`;
    }
  });

  // nodes/editor/route-form/arrange.ts
  function arrange(place2, wanted) {
    const gone = [...place2.children].filter((child) => !wanted.includes(child));
    for (const child of gone) child.remove();
    let at = place2.firstElementChild;
    for (const each of wanted) {
      if (each === at) at = at.nextElementSibling;
      else place2.insertBefore(each, at);
    }
  }
  var init_arrange = __esm({
    "nodes/editor/route-form/arrange.ts"() {
      "use strict";
    }
  });

  // nodes/editor/route-form/control.ts
  function makeControl(field2, id, context, options) {
    const { member, value, name } = field2;
    const shown3 = textOf(member, value) ?? "";
    const isChosen = member.kind === "choice" || member.kind === "boolean";
    const input2 = isChosen ? select(field2, shown3) : textInput(field2, shown3, context);
    input2.id = id;
    if (field2.required) input2.setAttribute("aria-required", "true");
    input2.addEventListener(isChosen ? "change" : "input", () => options.edited(input2.value, isChosen));
    input2.addEventListener("blur", options.left);
    const fault2 = element("div", { id: `${id}-fault`, className: "media-gateway-route-fault" });
    const hint = element("div", { id: `${id}-hint`, className: "media-gateway-route-hint" });
    const updateHint = () => hint.textContent = hintOf(field2, input2.value);
    updateHint();
    if (member.secret) input2.addEventListener("input", updateHint);
    input2.setAttribute("aria-describedby", `${hint.id} ${fault2.id}`);
    const label = element("label", { htmlFor: id, title: name }, options.label);
    if (field2.required) {
      label.append(" ", element("span", { className: "media-gateway-route-required" }, "*"));
    }
    const row = element("div", { className: "media-gateway-route-field" }, label, input2);
    row.dataset["member"] = name;
    if (member.unit) {
      const unit = textOr(`unit.${member.unit}`, member.unit);
      row.append(element("span", { className: "media-gateway-unit" }, unit));
    }
    if (member.secret && input2 instanceof HTMLInputElement) row.append(showButton(input2, name));
    row.append(hint, fault2);
    return {
      field: field2,
      element: row,
      showFault(words) {
        fault2.textContent = words ?? "";
        input2.classList.toggle("input-error", words !== void 0);
        if (words === void 0) input2.removeAttribute("aria-invalid");
        else input2.setAttribute("aria-invalid", "true");
      }
    };
  }
  function hintOf({ member, name }, typed) {
    if (member.secret) return text3(isMasked(typed) ? "hint.stored" : "hint.readable");
    return member.kind === "list" ? text3("hint.list") : textOr(`hint.${name}`, "");
  }
  function textInput({ member, name }, value, context) {
    const input2 = element("input", {
      type: member.secret ? "password" : "text",
      autocomplete: member.secret ? "new-password" : "off",
      spellcheck: false,
      placeholder: rangeOf(member),
      value
    });
    if (member.kind === "number") input2.inputMode = "decimal";
    if (name === "networkInterface") {
      input2.setAttribute("list", context.adapters);
      input2.placeholder = text3("automatic");
      input2.addEventListener("focus", () => context.needAdapters());
    }
    return input2;
  }
  function rangeOf({ kind, secret, min, max }) {
    if (max === void 0) return "";
    if (kind === "number") return `${min ?? 0} \u2013 ${max}`;
    return secret ? text3("characters", { least: min ?? 0, most: max }) : "";
  }
  function select({ member, name }, value) {
    const choices2 = member.kind === "boolean" ? ["true", "false"].map((each) => [each, text3(each)]) : (member.oneOf ?? []).map((each) => [each, name === "protocol" ? each.toUpperCase() : each]);
    const fits3 = ([each]) => each.toLowerCase() === value.toLowerCase();
    const known = choices2.find(fits3);
    if (known) known[0] = value;
    else if (value !== "") choices2.push([value, value]);
    const made = element(
      "select",
      {},
      element("option", { value: "" }, text3("unset")),
      ...choices2.map(([each, words]) => element("option", { value: each }, words))
    );
    made.value = value;
    return made;
  }
  function showButton(input2, name) {
    const icon = element("i", { className: "fa fa-eye", ariaHidden: "true" });
    const button = element("button", { type: "button", className: "red-ui-button" }, icon);
    button.setAttribute("aria-label", `${text3("show")}: ${labelOf(name)}`);
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const isShown = input2.type === "text";
      input2.type = isShown ? "password" : "text";
      icon.className = isShown ? "fa fa-eye" : "fa fa-eye-slash";
      button.setAttribute("aria-pressed", String(!isShown));
    });
    return button;
  }
  var init_control = __esm({
    "nodes/editor/route-form/control.ts"() {
      "use strict";
      init_model();
      init_secrets();
      init_element();
      init_text2();
    }
  });

  // nodes/editor/route-form/empty.ts
  var isEmptyText;
  var init_empty = __esm({
    "nodes/editor/route-form/empty.ts"() {
      "use strict";
      isEmptyText = (value) => value === void 0 || value === null || value === "" || Array.isArray(value) && value.length === 0;
    }
  });

  // nodes/editor/route-form/faults.ts
  function faultsFrom(problems) {
    let left = [...problems];
    return {
      take(path) {
        const found = left.find((problem) => problem.path === path);
        left = left.filter((problem) => problem !== found);
        return found?.problem;
      },
      takeAll(path) {
        const before = left.length;
        left = left.filter(
          (problem) => problem.path !== path && !/^[.[]/.test(afterPath(problem.path, path))
        );
        return before - left.length;
      },
      rest: () => left
    };
  }
  function wordsOf(problem) {
    for (const [sentence, key, names = []] of SENTENCES) {
      const found = sentence.exec(problem);
      if (!found) continue;
      const values = Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? ""]));
      return text3(`fault.${key}`, key === "repeated" ? rowOf(values) : values);
    }
    return problem;
  }
  var afterPath, faultWithPath, rowOf, SENTENCES;
  var init_faults = __esm({
    "nodes/editor/route-form/faults.ts"() {
      "use strict";
      init_text2();
      afterPath = (whole2, path) => whole2.startsWith(path) ? whole2.slice(path.length) : "";
      faultWithPath = ({ path, problem }) => path === "" ? wordsOf(problem) : `${path}: ${wordsOf(problem)}`;
      rowOf = ({ index }) => ({ row: Number(index) + 1 });
      SENTENCES = [
        [/hidden value/, "hidden"],
        [/^contains \$\{/, "variable"],
        [/^cannot be set by a definition/, "state"],
        [/^is for creating a route only/, "startRoute"],
        [/^is not known here; did you mean (\w+)\?/, "didYouMean", ["member"]],
        [/^is not known here/, "unknown"],
        [/^has none of name, source and destinations/, "nothingGiven"],
        [/^has neither id nor name/, "noIdentity"],
        [/destinations\[(\d+)\] too/, "repeated", ["index"]],
        [/this member cannot be removed/, "lasting"],
        [/^is no wanted state/, "action"],
        [/^is (missing|empty|null|an empty list); it must be/, "missing"],
        [/must be a whole number from (\d+) to (\d+)$/, "whole", ["least", "most"]],
        [/must be a number from ([\d.]+) to ([\d.]+)$/, "number", ["least", "most"]],
        [/must be a (?:whole )?number of at least ([\d.]+)$/, "atLeast", ["least"]],
        [/must be text of (\d+) to (\d+) characters/, "length", ["least", "most"]],
        [/must be text/, "text"],
        [/must be one of /, "choice"],
        [/must be true or false$/, "boolean"],
        [/must be a list/, "list"],
        [/must be an object/, "object"]
      ];
    }
  });

  // nodes/editor/route-form/paths.ts
  function makePaths(field2, id, context, {
    path,
    edited,
    makeGroup: makeGroup2
  }) {
    const rows = [];
    const list2 = element("ol", { className: "media-gateway-route-paths" });
    const fault2 = element("div", { id: `${id}-fault`, className: "media-gateway-route-fault" });
    const order = Object.keys(field2.member.of ?? {});
    const tell = () => edited(rows.map(({ read: read2 }) => read2()));
    function add(value) {
      let present = value;
      const row = {
        read: () => present,
        element: element("li", {}),
        group: makeGroup2(context, {
          part: "path",
          fields: () => pathFields(field2.member, present),
          edit(member, changed) {
            present = withMember(present, member.key, changed, order);
            tell();
          },
          path: () => `${path()}[${rows.indexOf(row)}]`,
          bearer: "address",
          isFresh: Object.keys(value).length === 0
        })
      };
      const remove = element(
        "button",
        { type: "button", className: "red-ui-button red-ui-button-small" },
        element("i", { className: "fa fa-remove", ariaHidden: "true" })
      );
      remove.setAttribute("aria-label", text3("path.remove"));
      remove.addEventListener("click", () => {
        rows.splice(rows.indexOf(row), 1);
        row.element.remove();
        tell();
      });
      row.element.append(row.group.element, remove);
      list2.append(row.element);
      rows.push(row);
      return row;
    }
    for (const value of Array.isArray(field2.value) ? field2.value : []) {
      if (isObject(value)) add(value);
    }
    const button = element(
      "button",
      { type: "button", id, className: "red-ui-button red-ui-button-small" },
      element("i", { className: "fa fa-plus", ariaHidden: "true" }),
      ` ${text3("path.add")}`
    );
    button.setAttribute("aria-describedby", fault2.id);
    button.addEventListener("click", () => {
      const row = add({});
      tell();
      row.group.focus();
    });
    const title = element("div", { id: `${id}-title`, title: field2.name }, labelOf(field2.name));
    const made = element(
      "div",
      { className: "media-gateway-route-list", role: "group" },
      title,
      list2,
      button,
      fault2
    );
    made.dataset["member"] = field2.name;
    made.setAttribute("aria-labelledby", title.id);
    return {
      field: field2,
      element: made,
      showFault: (words) => fault2.textContent = words ?? "",
      showFaults: (faults) => rows.reduce((count, row) => count + row.group.showFaults(faults), 0)
    };
  }
  var init_paths = __esm({
    "nodes/editor/route-form/paths.ts"() {
      "use strict";
      init_model();
      init_json();
      init_element();
      init_text2();
    }
  });

  // nodes/editor/route-form/group.ts
  function makeGroup(context, options) {
    const id = newId(context.id);
    const place2 = element("div", { className: "media-gateway-route-group" });
    let touched = options.isFresh ? /* @__PURE__ */ new Set() : void 0;
    let controls = [];
    let shape = "";
    const details = element("details", { className: "media-gateway-route-more" });
    details.append(element("summary", {}, text3("more")));
    const shapeOf = ({ first, more }) => JSON.stringify([...first, ...more].map(({ key, required }) => [key, required]));
    function control(field2) {
      const edited = (value, chosen) => {
        const before = options.fields();
        if (field2.name === "protocol") touched ??= new Set(namesOf(before));
        options.edit(field2, value);
        field2.value = value;
        if (chosen && shapeOf(options.fields()) !== shape) render();
        context.changed();
      };
      const controlId = `${id}-${field2.name}`;
      if (field2.member.of) {
        return makePaths(field2, controlId, context, {
          path: () => pathTo(options.path(), field2.key),
          edited: (paths) => edited(paths, true),
          makeGroup
        });
      }
      return makeControl(field2, controlId, context, {
        // A route, its source and its destinations have one each.
        label: field2.name === "name" ? text3(`nameOf.${options.part}`) : labelOf(field2.name),
        edited: (typed, chosen) => edited(valueOf(field2.member, typed, field2.value), chosen),
        left() {
          if (touched?.has(field2.name) !== false) return;
          touched.add(field2.name);
          context.changed();
        }
      });
    }
    function render() {
      const focused = document.activeElement?.id;
      const fields = options.fields();
      shape = shapeOf(fields);
      const before = new Map(controls.map((each) => [JSON.stringify(each.field), each]));
      const shown3 = (field2) => before.get(JSON.stringify(field2)) ?? control(field2);
      const first = fields.first.map(shown3);
      const rest = fields.more.map(shown3);
      controls = [...first, ...rest];
      arrange(details, [details.firstElementChild, ...rest.map((each) => each.element)]);
      arrange(place2, [
        ...first.map((each) => each.element),
        ...rest.length > 0 ? [details] : [],
        ...fields.others.length > 0 ? [others(fields.others)] : []
      ]);
      if (!focused?.startsWith(`${id}-`) || document.activeElement?.id === focused) return;
      document.getElementById(focused)?.focus();
    }
    render();
    return {
      element: place2,
      showFaults(faults) {
        const whole2 = faults.take(options.path());
        let count = whole2 === void 0 ? 0 : 1;
        for (const each of controls) {
          const { field: field2 } = each;
          const own2 = faults.take(pathTo(options.path(), field2.key));
          const problem = own2 ?? (field2.name === options.bearer ? whole2 : void 0);
          const isQuiet = isEmptyText(field2.value) && touched?.has(field2.name) === false;
          const isTold = problem !== void 0 && !isQuiet;
          each.showFault(isTold ? wordsOf(problem) : void 0);
          if (isTold) reveal(each.element);
          count += (own2 === void 0 ? 0 : 1) + (each.showFaults?.(faults) ?? 0);
        }
        return count;
      },
      focus: () => place2.querySelector("input, select")?.focus()
    };
  }
  function reveal(control) {
    const details = control.closest("details");
    if (details) details.open = true;
  }
  function others(names) {
    return element(
      "div",
      { className: "media-gateway-route-others" },
      `${text3("others")} `,
      ...names.flatMap((name, index) => [index > 0 ? ", " : "", element("code", {}, name)])
    );
  }
  var namesOf;
  var init_group = __esm({
    "nodes/editor/route-form/group.ts"() {
      "use strict";
      init_model();
      init_json();
      init_element();
      init_arrange();
      init_context();
      init_control();
      init_empty();
      init_faults();
      init_paths();
      init_text2();
      namesOf = ({ first, more }) => [...first, ...more].map(({ name }) => name);
    }
  });

  // nodes/editor/route-form/destinations.ts
  function makeDestinations(context, saved) {
    const rows = /* @__PURE__ */ new Map();
    const list2 = element("ol", { id: newId(context.id) });
    const title = element("div", { className: "media-gateway-route-title" }, text3("destinations"));
    title.id = `${list2.id}-title`;
    list2.setAttribute("aria-labelledby", title.id);
    const made = element("div", { className: "media-gateway-route-destinations" }, title, list2);
    const present = () => [...list2.children].filter(
      (item) => rows.has(item) && !item.classList.contains("red-ui-editableList-item-deleting")
    );
    const indexOf = (item) => present().indexOf(item);
    $(list2).editableList({
      addButton: text3("addDestination"),
      removable: true,
      sortable: true,
      height: "auto",
      sortItems: () => context.changed(),
      addItem(query, _, added) {
        const content = query.get(0);
        const item = content.parentElement;
        const isFresh = !("part" in added);
        const path = () => `destinations[${indexOf(item)}]`;
        const { row, focus } = makeRow(context, content, added.part ?? {}, { isFresh, path });
        rows.set(item, row);
        content.querySelector(".media-gateway-route-head")?.append(...["up", "down"].map((way) => moveButton(item, way)));
        const remove = item.querySelector(".red-ui-editableList-item-remove");
        remove?.setAttribute("aria-label", text3("removeDestination"));
        remove?.setAttribute("role", "button");
        remove?.addEventListener("click", () => context.changed());
        if (!isFresh) return;
        focus();
        context.changed();
      }
    });
    for (const part of saved) $(list2).editableList("addItem", { part });
    function moveButton(item, way) {
      const button = element(
        "button",
        { type: "button", className: "red-ui-button red-ui-button-small" },
        element("i", { className: `fa fa-arrow-${way}`, ariaHidden: "true" })
      );
      button.setAttribute("aria-label", text3(way));
      button.addEventListener("click", () => {
        if (way === "up") item.previousElementSibling?.before(item);
        else item.nextElementSibling?.after(item);
        button.focus();
        context.changed();
      });
      return button;
    }
    return {
      element: made,
      read: () => present().map((item) => rows.get(item).read()),
      showFaults: (faults) => present().reduce((count, item) => count + rows.get(item).showFaults(faults), 0)
    };
  }
  function makeRow(context, content, saved, { isFresh, path }) {
    let edited = { part: isObject(saved) ? saved : {}, parked: [] };
    let group;
    const body = element("div", { id: newId(context.id) });
    const caret = element("i", { className: "fa fa-caret-right", ariaHidden: "true" });
    const summary = element("span", {});
    const mark = element("span", { className: "media-gateway-route-mark" });
    const toggle = element(
      "button",
      { type: "button", className: "media-gateway-route-toggle" },
      caret,
      " ",
      summary,
      " ",
      mark
    );
    toggle.setAttribute("aria-controls", body.id);
    content.append(element("div", { className: "media-gateway-route-head" }, toggle), body);
    function open(isOpen) {
      body.hidden = !isOpen;
      caret.className = `fa fa-caret-${isOpen ? "down" : "right"}`;
      toggle.setAttribute("aria-expanded", String(isOpen));
      if (!isOpen || group) return;
      group = isObject(saved) ? fields() : void 0;
      body.append(group?.element ?? text3("notAnObject"));
    }
    const fields = () => makeGroup(context, {
      part: "destination",
      fields: () => partFields("destination", edited.part, context.use),
      edit(field2, value) {
        edited = edit("destination", edited, field2, value, context.use);
        summary.textContent = summaryOf(edited.part);
      },
      path,
      bearer: "name",
      isFresh
    });
    summary.textContent = summaryOf(saved);
    toggle.addEventListener("click", () => {
      const hadFields = group !== void 0;
      open(body.hidden === true);
      if (!hadFields) context.changed();
    });
    open(isFresh);
    return {
      row: {
        read: () => isObject(saved) ? edited.part : saved,
        showFaults(faults) {
          const count = (group?.showFaults(faults) ?? 0) + faults.takeAll(path());
          mark.replaceChildren();
          if (count > 0 && !isFresh) {
            mark.append(
              element("i", { className: "fa fa-exclamation-triangle", ariaHidden: "true" }),
              ` ${text3("faults", { count })}`
            );
          }
          return count;
        }
      },
      focus: () => group?.focus()
    };
  }
  function summaryOf(part) {
    if (!isObject(part)) return JSON.stringify(part) ?? "";
    const shown3 = (value) => typeof value === "string" || typeof value === "number" ? String(value) : "";
    const protocol = shown3(protocolOf("destination", part)).toUpperCase();
    const paths = own(part, "srtNetworkBondingParams") ?? own(part, "rtpNetworkBondingParams");
    const [first] = Array.isArray(paths) ? paths : [];
    const at = own(part, "address") !== void 0 || !first ? part : first;
    const place2 = [shown3(own(at, "address")), shown3(own(at, "port"))].filter((each) => each !== "");
    const words = [shown3(own(part, "name")), protocol, place2.join(":")].filter((each) => each !== "");
    return words.join(" \xB7 ") || text3("newDestination");
  }
  var init_destinations = __esm({
    "nodes/editor/route-form/destinations.ts"() {
      "use strict";
      init_model();
      init_json();
      init_convert();
      init_element();
      init_context();
      init_group();
      init_text2();
    }
  });

  // nodes/editor/route-form/editor.ts
  function makeRouteEditor(context, saved, { needsName }) {
    let route = saved;
    let source = { part: objectIn(own(saved, "source")), parked: [] };
    const isFresh = Object.keys(saved).length === 0;
    const use = context.use;
    const top = makeGroup(context, {
      part: "route",
      fields: () => routeFields(route, { ...use, needsName }),
      edit: (field2, value) => route = withMember(route, field2.key, value),
      path: () => "",
      bearer: "name",
      isFresh
    });
    const made = element("div", {}, top.element);
    const hasSource = own(saved, "source") === void 0 || isObject(own(saved, "source"));
    const sourceGroup = makeGroup(context, {
      part: "source",
      fields: () => partFields("source", source.part, use),
      edit(field2, value) {
        source = edit("source", source, field2, value, use);
        const isGone = Object.keys(source.part).length === 0;
        route = withMember(route, "source", isGone ? void 0 : source.part);
      },
      path: () => "source",
      bearer: "protocol",
      isFresh: own(saved, "source") === void 0
    });
    if (hasSource) {
      const legend = element("legend", { className: "media-gateway-route-title" }, text3("source"));
      made.append(
        element("fieldset", { className: "media-gateway-route-part" }, legend, sourceGroup.element)
      );
    }
    const given = own(saved, "destinations");
    const destinations = given === void 0 || Array.isArray(given) ? makeDestinations(
      {
        ...context,
        changed() {
          const list2 = destinations?.read() ?? [];
          const hadList = Array.isArray(own(route, "destinations"));
          if (list2.length > 0 || hadList) route = withMember(route, "destinations", list2);
          context.changed();
        }
      },
      given ?? []
    ) : void 0;
    if (destinations) made.append(destinations.element);
    return {
      element: made,
      read: () => route,
      showFaults: (faults) => top.showFaults(faults) + (hasSource ? sourceGroup.showFaults(faults) : 0) + (destinations?.showFaults(faults) ?? 0)
    };
  }
  var objectIn, newContextId;
  var init_editor = __esm({
    "nodes/editor/route-form/editor.ts"() {
      "use strict";
      init_model();
      init_json();
      init_element();
      init_context();
      init_destinations();
      init_group();
      init_text2();
      objectIn = (value) => isObject(value) ? value : {};
      newContextId = () => newId("media-gateway-route");
    }
  });

  // nodes/editor/route-form/fill.ts
  function makeFill(node, { prefix, filled }) {
    const id = newId(prefix);
    let routes = [];
    const button = element(
      "button",
      { type: "button", className: "red-ui-button red-ui-button-small" },
      element("i", { className: "fa fa-download", ariaHidden: "true" }),
      ` ${text3("fill.open")}`
    );
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", id);
    const device = element("select", { id: `${id}-device` });
    const devices = labelled(device, text3("fill.device"));
    const search = element("input", { type: "text", id: `${id}-search`, autocomplete: "off" });
    const choice2 = element("select", { id: `${id}-route`, size: 6 });
    const take = element(
      "button",
      { type: "button", className: "red-ui-button red-ui-button-small" },
      text3("fill.take")
    );
    const status = element("div", { className: "media-gateway-route-hint" });
    status.setAttribute("role", "status");
    const panel = element(
      "div",
      { id, className: "media-gateway-route-fill", hidden: true },
      devices,
      labelled(search, text3("fill.search")),
      labelled(choice2, text3("fill.route")),
      element("div", { className: "media-gateway-route-hint" }, text3("fill.replaces")),
      take,
      status
    );
    devices.hidden = true;
    function show2() {
      const wanted = search.value.trim().toLowerCase();
      const chosen = choice2.value;
      const found = routes.filter(({ name }) => name.toLowerCase().includes(wanted));
      choice2.replaceChildren(...found.map(option));
      choice2.value = found.some((route) => route.id === chosen) ? chosen : found[0]?.id ?? "";
      take.disabled = choice2.value === "";
      if (routes.length > 0 && found.length === 0) status.textContent = text3("fill.none");
      else if (routes.length > 0) status.textContent = "";
    }
    async function load() {
      routes = [];
      show2();
      if (!hasGateway(node)) {
        status.textContent = text3("fill.noGateway");
        return;
      }
      status.textContent = text3("fill.loading");
      try {
        const answer = await lookUp(node, device.value, { again: true });
        routes = answer.routes ?? [];
        if (devices.hidden && answer.routes === void 0 && answer.devices.length > 1) {
          device.replaceChildren(element("option", { value: "" }), ...answer.devices.map(option));
          devices.hidden = false;
        }
        if (routes.length > 0) show2();
        else status.textContent = text3(answer.routes ? "fill.empty" : "fill.chooseDevice");
      } catch (error) {
        status.textContent = error.message;
      }
    }
    async function fill() {
      if (choice2.value === "") return;
      take.disabled = true;
      status.textContent = text3("fill.loading");
      try {
        const definition = await readDefinition(node, choice2.value, device.value);
        if (panel.isConnected) filled(definition);
      } catch (error) {
        status.textContent = error.message;
        take.disabled = false;
      }
    }
    button.addEventListener("click", () => {
      panel.hidden = !panel.hidden;
      button.setAttribute("aria-expanded", String(!panel.hidden));
      if (panel.hidden) return;
      search.focus();
      void load();
    });
    device.addEventListener("change", () => void load());
    search.addEventListener("input", show2);
    choice2.addEventListener("dblclick", () => void fill());
    for (const each of [search, choice2]) {
      each.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        event.stopPropagation();
        void fill();
      });
    }
    take.addEventListener("click", () => void fill());
    return { button, panel };
  }
  function labelled(input2, words) {
    const label = element("label", { htmlFor: input2.id }, words);
    return element("div", { className: "media-gateway-route-field" }, label, input2);
  }
  var option;
  var init_fill = __esm({
    "nodes/editor/route-form/fill.ts"() {
      "use strict";
      init_element();
      init_appliance();
      init_context();
      init_text2();
      option = ({ id, name }) => element("option", { value: id }, name);
    }
  });

  // nodes/editor/route-form/use.ts
  function useOf(node) {
    const type = String(node["type"]);
    if (type.endsWith("update-route")) {
      return { kind: "update", mode: shownValue(node, "mode") || "keep" };
    }
    if (type.endsWith("ensure-route")) {
      return { kind: "ensure", state: shownValue(node, "state") || "present" };
    }
    return { kind: "create" };
  }
  function definitionFault(node, json) {
    const validate = shownValue(node, "validate") !== false;
    const [first] = checkDefinition(JSON.parse(json), useOf(node), { validate });
    return first && faultWithPath(first);
  }
  var init_use = __esm({
    "nodes/editor/route-form/use.ts"() {
      "use strict";
      init_definition();
      init_fields();
      init_faults();
    }
  });

  // nodes/editor/route-form/index.ts
  function prepareRouteForm(node, picked) {
    const input2 = field(node, "definition");
    if (input2.length === 0) return;
    const row = input2.get(0).closest(".form-row");
    const id = newContextId();
    const place2 = element("div", { className: "media-gateway-route" });
    const views = makeSwitch((view2) => show2(view2));
    const offer2 = makeOffer(() => input2.typedInput("type", "json"));
    row.append(views.element, offer2);
    row.after(place2);
    let shown3;
    let view = "form";
    let editor;
    const status = element("div", { className: "media-gateway-route-status" });
    status.setAttribute("role", "status");
    const problems = element("ul", { className: "media-gateway-route-problems" });
    const removal = element("div", { className: "media-gateway-route-note" });
    removal.setAttribute("role", "status");
    const typeNow = () => field(node, "definitionType").val() ?? "";
    const valueNow = () => input2.val() ?? "";
    function write(value) {
      shown3 = { type: "json", value };
      input2.typedInput("value", value);
    }
    function show2(wanted, note = "") {
      shown3 = { type: typeNow(), value: valueNow() };
      const isJson = shown3.type === "json";
      view = wanted;
      editor = void 0;
      views.show(view, isJson);
      offer2.hidden = shown3.type !== "msg";
      row.classList.toggle("media-gateway-route-as-form", isJson && view === "form");
      place2.hidden = !isJson;
      place2.replaceChildren();
      if (!isJson) return;
      const definition = parseDefinition(shown3.value);
      if (view === "json") place2.append(removal, status, problems);
      else if (definition) showForm(definition, note);
      else showBroken();
      check();
    }
    function showForm(definition, note) {
      const use = useOf(node);
      const adapters = element("datalist", { id: `${id}-adapters` });
      let needsAdapters = true;
      const context = {
        id,
        adapters: adapters.id,
        use: partUse(use),
        needAdapters() {
          if (needsAdapters) void showAdapters(node, adapters);
          needsAdapters = false;
        },
        changed() {
          if (!editor) return;
          const value = JSON.stringify(editor.read());
          if (value !== JSON.stringify(parseDefinition(valueNow()))) write(value);
          check();
        }
      };
      editor = makeRouteEditor(context, definition, { needsName: use.kind !== "update" });
      place2.replaceChildren(...head(note), removal, status, problems, editor.element, adapters);
    }
    function showBroken() {
      const start = element(
        "button",
        { type: "button", className: "red-ui-button red-ui-button-small" },
        text3("start")
      );
      start.addEventListener("click", () => {
        write("{}");
        show2("form");
      });
      const words = element("p", {}, text3("broken"));
      place2.replaceChildren(...head(""), words, start);
    }
    function head(note) {
      const fill = makeFill(node, { prefix: id, filled });
      const told = element("div", { className: "media-gateway-route-note" }, note);
      told.setAttribute("role", "status");
      return [fill.button, fill.panel, told];
    }
    function filled(answer) {
      const isNew = useOf(node).kind === "create";
      const definition = isNew ? forCreate(answer) : answer;
      write(JSON.stringify(definition));
      const hasHidden = findHidden(definition).length > 0;
      show2("form", text3(hasHidden ? isNew ? "fill.enterAnew" : "fill.keeps" : "fill.done"));
      place2.querySelector('input[type="text"]:not([hidden] *)')?.focus();
    }
    function check() {
      const definition = editor ? editor.read() : parsed(valueNow());
      const found = definition === void 0 ? [] : checkDefinition(definition, useOf(node), {
        validate: read(field(node, "validate")) !== false
      });
      const faults = faultsFrom(found);
      editor?.showFaults(faults);
      problems.replaceChildren(...faults.rest().map((each) => element("li", {}, faultWithPath(each))));
      status.textContent = found.length === 0 ? "" : text3("faults", { count: found.length });
      showRemoval(definition);
    }
    function showRemoval(definition) {
      const use = useOf(node);
      const present = picked.route()?.destinations;
      const removed = use.kind === "update" && isObject(definition) && present ? removedDestinations(definition, use.mode, present) : [];
      const names = removed.map((each) => each.name || each.id || "?");
      const many = names.length === 1 ? text3("removesOne") : text3("removes", { number: names.length });
      const words = names.length === 0 ? "" : `${many}: ${names.join(", ")}`;
      if (removal.textContent !== words) removal.textContent = words;
    }
    input2.on("change", () => {
      const type = typeNow();
      const value = valueNow();
      if (shown3?.type === type && shown3.value === value) return;
      const stays = view === "json" && shown3?.type === type;
      show2(stays || parseDefinition(value) === void 0 ? "json" : "form");
    });
    input2.on("keyup", () => {
      if (view === "json" && shown3?.type === "json") check();
    });
    for (const name of ["mode", "state"]) field(node, name).on("change", () => show2(view));
    field(node, "validate").on("change", () => {
      if (shown3?.type === "json") check();
    });
    picked.onChange(() => {
      if (shown3?.type === "json") showRemoval(editor ? editor.read() : parsed(valueNow()));
    });
    show2(parseDefinition(valueNow()) === void 0 ? "json" : "form");
    keepLines(node, input2);
  }
  function keepLines(node, input2) {
    const saved = node["definition"];
    if (typeof saved !== "string" || saved.replace(/[\r\n]/g, "") !== input2.val()) return;
    if (saved !== input2.val()) input2.val(saved);
  }
  function parsed(value) {
    try {
      return JSON.parse(value);
    } catch {
      return void 0;
    }
  }
  async function showAdapters(node, list2) {
    try {
      const { adapters = [] } = await lookUp(node);
      list2.replaceChildren(
        ...adapters.map(({ name, address }) => element("option", { value: name }, address))
      );
    } catch {
    }
  }
  function makeOffer(accept) {
    const button = element(
      "button",
      { type: "button", className: "red-ui-button media-gateway-route-offer" },
      element("i", { className: "fa fa-list-alt", ariaHidden: "true" }),
      ` ${text3("offer")}`
    );
    button.addEventListener("click", accept);
    return button;
  }
  function makeSwitch(choose) {
    const buttons = ["form", "json"].map((view) => {
      const button = element(
        "button",
        { type: "button", className: "red-ui-button red-ui-button-small" },
        text3(`view.${view}`)
      );
      button.dataset["view"] = view;
      button.addEventListener("click", () => choose(view));
      return { view, button };
    });
    const made = element(
      "div",
      { className: "media-gateway-route-switch", role: "group", ariaLabel: text3("view.label") },
      ...buttons.map(({ button }) => button)
    );
    return {
      element: made,
      show(view, isShown) {
        made.hidden = !isShown;
        for (const each of buttons) {
          each.button.setAttribute("aria-pressed", String(each.view === view));
          each.button.classList.toggle("selected", each.view === view);
        }
      }
    };
  }
  var partUse;
  var init_route_form = __esm({
    "nodes/editor/route-form/index.ts"() {
      "use strict";
      init_convert();
      init_definition();
      init_model();
      init_json();
      init_secrets();
      init_element();
      init_fields();
      init_appliance();
      init_editor();
      init_faults();
      init_fill();
      init_text2();
      init_use();
      partUse = (use) => ({
        partial: use.kind === "ensure" || use.kind === "update" && use.mode === "merge",
        isNew: use.kind === "create",
        isState: use.kind === "ensure"
      });
    }
  });

  // nodes/editor/typed.ts
  function reformatted(json, indent) {
    try {
      return JSON.stringify(JSON.parse(json), null, indent);
    } catch {
      return json;
    }
  }
  function prepareTyped(node, own2 = {}) {
    for (const [property, choices2] of Object.entries(types)) {
      const input2 = field(node, property);
      if (input2.length === 0) continue;
      const type = field(node, `${property}Type`);
      input2.typedInput({
        types: withType(own2[property] ?? choices2(), type.val()),
        default: textIn(node._def.defaults[`${property}Type`]?.value),
        typeField: `#${type.attr("id")}`
      });
    }
  }
  function prepareTypeChanges(node, translate) {
    for (const property of Object.keys(types)) {
      if (field(node, property).length > 0) prepareChange(node, property, translate);
    }
  }
  function prepareChange(node, property, translate) {
    const { defaults } = node._def;
    const firstType = textIn(defaults[`${property}Type`]?.value);
    const input2 = field(node, property);
    const type = field(node, `${property}Type`);
    const entered = /* @__PURE__ */ new Map();
    if (!COMPLETE.includes(firstType)) {
      entered.set(meaningOf(firstType), textIn(defaults[property]?.value));
    }
    const entryNow = () => ({ type: type.val() ?? "", value: input2.val() ?? "" });
    let last = entryNow();
    input2.on("change", () => {
      const now = entryNow();
      if (COMPLETE.includes(now.type)) return;
      const before = last;
      last = now;
      if (now.type === before.type || COMPLETE.includes(before.type)) return;
      const meaning = meaningOf(now.type);
      if (meaning === meaningOf(before.type)) return;
      entered.set(meaningOf(before.type), before.value);
      const isOther = before.value !== "" && LITERAL.includes(before.type) && meaning !== REFERENCE;
      const known = isOther ? void 0 : entered.get(meaning);
      const wanted = translate(property, before, now.type) ?? known ?? "";
      last = { type: now.type, value: wanted };
      if (wanted !== now.value) input2.typedInput("value", wanted);
      if (wanted === "") focusOn(input2);
    });
  }
  function focusOn(input2) {
    input2.get(0).parentElement?.querySelector(".red-ui-typedInput-input")?.focus();
  }
  function withType(choices2, type) {
    const offered = choices2.map((choice2) => typeof choice2 === "string" ? choice2 : choice2.value);
    return type === null || type === "" || offered.includes(type) ? choices2 : [...choices2, { value: type, label: type }];
  }
  function checkTyped(type, value) {
    if (COMPLETE.includes(type)) return true;
    if (String(value).trim() === "") return text("error.empty");
    return RED.utils.validateTypedProperty(value, String(type));
  }
  var ownType, idType, nameType, types, formType, LITERAL, meaningOf, REFERENCE, textIn, COMPLETE;
  var init_typed = __esm({
    "nodes/editor/typed.ts"() {
      "use strict";
      init_fields();
      init_text();
      ownType = (value, label, icon) => ({
        value,
        label,
        icon: `fa fa-${icon} media-gateway-type`
      });
      idType = (label) => ownType("id", label, "hashtag");
      nameType = (label) => ownType("name", label, "font");
      types = {
        device: () => [
          { value: "auto", label: text("type.auto"), hasValue: false },
          idType(text("type.deviceId")),
          "msg",
          "flow",
          "global",
          "env",
          "jsonata"
        ],
        route: () => [
          "msg",
          idType(text("type.routeId")),
          nameType(text("type.routeName")),
          "flow",
          "global",
          "env",
          "jsonata"
        ],
        destination: () => [
          "msg",
          idType(text("type.destinationId")),
          nameType(text("type.destinationName")),
          "flow",
          "global",
          "env",
          "jsonata"
        ],
        definition: () => [formType(), "msg", "flow", "global", "jsonata", "env"]
      };
      formType = () => ({
        ...ownType("json", text("type.form"), "list-alt"),
        expand() {
          RED.editor.editJSON({
            value: reformatted(this.value(), 4),
            complete: (edited) => this.value(reformatted(edited))
          });
        }
      });
      LITERAL = ["id", "name", "pattern", "json"];
      meaningOf = (type) => LITERAL.includes(type) ? type : REFERENCE;
      REFERENCE = "reference";
      textIn = (value) => typeof value === "string" ? value : "";
      COMPLETE = ["auto", "all"];
    }
  });

  // nodes/editor/form.ts
  function prepareForm(node, choices2) {
    const added = missingProperties(node);
    for (const property of added) {
      const value = lackingValue(node, property);
      if (value !== "") show(field(node, property), value);
    }
    prepareTyped(node, choices2);
    const picked = preparePickers(node);
    prepareTypeChanges(node, picked.translate);
    prepareRouteForm(node, picked);
    prepareConditions(node);
    prepareConfigButtons(node);
    additions.set(
      node,
      [...added, ...missingCredentials(node)].map((property) => field(node, property)).map((input2) => ({ input: input2, shown: read(input2) }))
    );
  }
  function saveForm(node) {
    for (const { input: input2, shown: shown3 } of additions.get(node) ?? []) {
      if (read(input2) === shown3) input2.removeAttr("id");
    }
  }
  function missingProperties(node) {
    return Object.keys(node._def.defaults).filter(
      (property) => node[property] === void 0 && field(node, property).length > 0
    );
  }
  function missingCredentials(node) {
    const known = node.credentials ?? {};
    return Object.keys(node._def.credentials ?? {}).filter(
      (name) => known[name] === void 0 && known[`has_${name}`] === void 0
    );
  }
  function prepareConditions(node) {
    field(node, "name").closest(".media-gateway-form").find("[data-media-gateway-when]").each((_, row) => {
      const conditions = (row.dataset["mediaGatewayWhen"] ?? "").split(",").map((condition) => {
        const [property = "", values = ""] = condition.trim().split("=");
        return { property, input: field(node, property), values: values.split("|") };
      });
      const update = () => $(row).toggle(conditions.some(({ input: input2, values }) => values.includes(input2.val() ?? "")));
      for (const { property, input: input2 } of conditions) {
        input2.on("change", update);
        if (property.endsWith("Type")) field(node, property.slice(0, -4)).on("change", update);
      }
      update();
    });
  }
  function prepareConfigButtons(node) {
    for (const property of Object.keys(node._def.defaults)) {
      for (const what of ["edit", "add"]) {
        const button = document.getElementById(idOf(node, `btn-${property}-${what}`));
        if (!button) continue;
        button.tabIndex = 0;
        button.role = "button";
        button.ariaLabel = text(`form.${what}`);
        button.addEventListener("keydown", (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          button.click();
        });
        const update = () => button.ariaDisabled = String(button.classList.contains("disabled"));
        field(node, property).on("change", update);
        update();
      }
    }
  }
  var additions;
  var init_form = __esm({
    "nodes/editor/form.ts"() {
      "use strict";
      init_fields();
      init_pickers();
      init_route_form();
      init_text();
      init_typed();
      additions = /* @__PURE__ */ new WeakMap();
    }
  });

  // nodes/editor/only-gateway.ts
  function chooseOnlyGateway(node) {
    if (RED.nodes.node(node.id) || node["gateway"] !== "") return;
    const usable = [];
    RED.nodes.eachConfig((config) => {
      const isWithin = !config["z"] || config["z"] === node["z"];
      if (config["type"] === TYPE && !config.d && isWithin) usable.push(config);
    });
    const [only] = usable;
    if (only && usable.length === 1 && !isToldBySubflow(node)) node["gateway"] = only.id;
  }
  function isToldBySubflow({ z }) {
    const { env = [] } = RED.nodes.subflow(z) ?? {};
    return env.some(({ type, ui }) => type === TYPE && ui?.type === "conf-types");
  }
  var TYPE;
  var init_only_gateway = __esm({
    "nodes/editor/only-gateway.ts"() {
      "use strict";
      TYPE = "media-gateway";
    }
  });

  // nodes/gateway/editor/report.ts
  function reportRows(report, tested) {
    const facts = [...placeFacts(report, tested), ...userFacts(report), ...deviceFacts(report)];
    if (report.ok) facts.push(["plain", "session", word(report.reused ? "reused" : "ended")]);
    return [
      headline(report),
      element("dl", { className: "media-gateway-facts" }, ...facts.flatMap(factRow))
    ];
  }
  function headline({ ok, code, message }) {
    const sign = signOf3(ok ? "good" : "error");
    if (ok) return element("p", {}, sign, " ", element("b", {}, text("connection.ok")));
    const advice = code && ADVISED.includes(code) ? text(`connection.advice.${code}`) : "";
    const title = element("b", {}, titleOf(code));
    return element("p", {}, sign, " ", title, `. ${message ?? ""} ${advice}`.trimEnd());
  }
  function placeFacts({ ok, code, answerMs }, tested) {
    if (code === "CONFIG" || !ok && code === void 0)
      return [["error", "appliance", word("notAsked")]];
    if (code === "TLS") return [["error", "encryption", word("notTrusted")]];
    if (code === "BAD_RESPONSE") return [["error", "appliance", word("strange")]];
    if (!ok && !ANSWERED.includes(code ?? "")) return [["error", "appliance", word("notReached")]];
    const facts = [["good", "appliance", word("reached")]];
    if (answerMs !== void 0) {
      facts.push(["plain", "answer", text("connection.is.milliseconds", { number: answerMs })]);
    }
    const { baseUrl } = tested;
    const url = typeof baseUrl === "string" ? baseUrl.trim() : "";
    if (/^https:/i.test(url)) {
      facts.push(["good", "encryption", word(tested.fingerprint ? "pinned" : "trusted")]);
    } else if (/^http:/i.test(url)) {
      facts.push(["warning", "encryption", word("readable")]);
    }
    return facts;
  }
  function userFacts({ code, user }) {
    if (!user) {
      if (code === "LOGIN_REFUSED") return [["error", "user", word("refused")]];
      return code === "TOO_MANY_SESSIONS" ? [["error", "user", word("noSession")]] : [];
    }
    const { name, roles, isLicensed } = user;
    const licence = isLicensed === null ? "notTold" : isLicensed ? "valid" : "notValid";
    return [
      ["good", "user", roles.length > 0 ? `${name} (${roles.join(", ")})` : name],
      [isLicensed === null ? "plain" : isLicensed ? "good" : "error", "licence", word(licence)]
    ];
  }
  function deviceFacts({ device, devices, routes }) {
    if (!device) return devices === 0 ? [["error", "device", word("noDevice")]] : [];
    const { name, firmware, status, statusCode } = device;
    const others2 = (devices ?? 1) - 1;
    const more = others2 > 0 ? `; ${text("connection.is.moreDevices", { number: others2 })}` : "";
    const facts = [
      [SIGN_OF_DEVICE[statusCode] ?? "plain", "device", `${name}, ${status}${more}`],
      ["plain", "firmware", firmware]
    ];
    if (routes !== void 0) facts.push(["plain", "routes", String(routes)]);
    return facts;
  }
  function certificateRows(certificate, now = Date.now()) {
    const { subject, issuer, validFrom, validTo, fingerprint } = certificate;
    const isEarly = Date.parse(validFrom) > now;
    const isOver = Date.parse(validTo) < now;
    const facts = [
      ["plain", "subject", subject],
      ["plain", "issuer", issuer],
      [isEarly ? "error" : "plain", "validFrom", day(validFrom, isEarly && "early")],
      [isOver ? "error" : "plain", "validTo", day(validTo, isOver && "expired")],
      ["plain", "fingerprint", fingerprint]
    ];
    return [
      element("p", {}, element("b", {}, text("connection.certificate"))),
      element("dl", { className: "media-gateway-facts" }, ...facts.flatMap(factRow)),
      element("p", {}, text("connection.compare"))
    ];
  }
  function day(iso, fault2) {
    const at = new Date(iso);
    const shown3 = Number.isNaN(at.getTime()) ? word("notTold") : at.toLocaleString();
    return fault2 ? `${shown3} (${word(fault2)})` : shown3;
  }
  function factRow([sign, name, value]) {
    const term = element("dt", {}, signOf3(sign), " ", text(`connection.fact.${name}`));
    const parts = value.split(/(?<=:)(?=[0-9A-F]{2}\b)/);
    const lines = parts.flatMap((part, index) => index === 0 ? [part] : [element("wbr"), part]);
    return [term, element("dd", {}, ...lines)];
  }
  function signOf3(sign) {
    return element("i", {
      className: `fa fa-${ICONS2[sign]} media-gateway-sign media-gateway-sign-${sign}`,
      ariaHidden: "true"
    });
  }
  var ICONS2, ADVISED, ANSWERED, SIGN_OF_DEVICE, word;
  var init_report = __esm({
    "nodes/gateway/editor/report.ts"() {
      "use strict";
      init_ask();
      init_element();
      init_text();
      ICONS2 = {
        good: "check-circle",
        warning: "exclamation-triangle",
        error: "times-circle",
        plain: "info-circle"
      };
      ADVISED = ["LOGIN_REFUSED", "UNAVAILABLE", "TIMEOUT"];
      ANSWERED = ["LOGIN_REFUSED", "TOO_MANY_SESSIONS", "FORBIDDEN", "REJECTED", "NOT_FOUND"];
      SIGN_OF_DEVICE = { ok: "good", warn: "warning", error: "error" };
      word = (key) => text(`connection.is.${key}`);
    }
  });

  // nodes/gateway/editor/test.ts
  function prepareTest(node) {
    const button = document.querySelector("#media-gateway-test");
    const result = document.querySelector("#media-gateway-test-result");
    const outdated = element(
      "p",
      { className: "media-gateway-test-outdated", hidden: true },
      signOf3("warning"),
      " ",
      text("connection.outdated")
    );
    let isBusy = false;
    let tested;
    const values = () => connectionOfForm(node);
    async function test() {
      if (isBusy) return;
      busy(true);
      const connection = values();
      tested = void 0;
      outdated.hidden = true;
      result.classList.remove("media-gateway-outdated");
      result.replaceChildren(element("p", {}, text("connection.testing")));
      const report = faultIn(connection) ?? await ask("connection", { connection }).catch(reportOf);
      busy(false);
      show2(report, connection);
    }
    function busy(is) {
      isBusy = is;
      button.ariaDisabled = String(is);
      button.querySelector(".fa").classList.toggle("fa-spin", is);
      result.ariaBusy = String(is);
    }
    function show2(report, connection) {
      const { certificate } = report;
      result.replaceChildren(
        outdated,
        ...reportRows(report, connection),
        ...certificate ? [...certificateRows(certificate), trustButton(certificate)] : []
      );
      if (report.passwordNeeded) field(node, "password").get(0).focus();
      tested = JSON.stringify(connection);
      compare();
      const last = certificate && result.lastElementChild;
      for (const part of [result, last]) part?.scrollIntoView({ block: "nearest" });
    }
    function trustButton({ fingerprint }) {
      const trust = element(
        "button",
        { type: "button", className: "red-ui-button" },
        element("i", { className: "fa fa-lock", ariaHidden: "true" }),
        ` ${text("connection.trust")}`
      );
      trust.addEventListener("click", () => {
        const input2 = field(node, "fingerprint");
        input2.val(fingerprint);
        input2.trigger("change");
        button.focus();
        void test();
      });
      return trust;
    }
    function compare() {
      if (tested === void 0) return;
      const isOther = JSON.stringify(values()) !== tested;
      outdated.hidden = !isOther;
      result.classList.toggle("media-gateway-outdated", isOther);
    }
    button.addEventListener("click", () => void test());
    for (const property of TESTED) {
      for (const event of ["change", "keyup"]) field(node, property).on(event, compare);
    }
  }
  function faultIn(connection) {
    const value = (name) => {
      const typed = connection[name];
      return typeof typed === "string" || typeof typed === "number" ? String(typed).trim() : "";
    };
    const faults = [
      ...["baseUrl", "fingerprint", "timeout"].map((name) => {
        const [key, values] = checks[name](value(name)) ?? [];
        return key && `${text(`label.${name}`)}: ${text(`error.${key}`, values)}`;
      }),
      value("username") === "" && text("error.noUser"),
      connection.password === "" && text("error.noPassword")
    ].filter((fault2) => typeof fault2 === "string");
    return faults.length === 0 ? void 0 : { ok: false, code: "CONFIG", message: `${faults.join("; ")}.` };
  }
  function reportOf(failure) {
    const { code, message, passwordNeeded } = failure;
    return { ok: false, code, message, passwordNeeded };
  }
  var TESTED;
  var init_test = __esm({
    "nodes/gateway/editor/test.ts"() {
      "use strict";
      init_ask();
      init_checks();
      init_connection();
      init_element();
      init_fields();
      init_text();
      init_report();
      TESTED = ["baseUrl", "username", "password", "fingerprint", "tls", "proxy", "timeout"];
    }
  });

  // nodes/gateway/editor/index.ts
  var gateway;
  var init_editor2 = __esm({
    "nodes/gateway/editor/index.ts"() {
      "use strict";
      init_form();
      init_test();
      gateway = {
        /** To call in `oneditprepare`. */
        prepareForm(node) {
          prepareForm(node);
          prepareTest(node);
        }
      };
    }
  });

  // client/model/watch.ts
  function eventsIn(saved) {
    const names = typeof saved === "string" ? saved.split(",") : Array.isArray(saved) ? saved : [];
    return names.map((name) => String(name).trim()).filter((name) => name !== "");
  }
  function faultsOf2(threshold) {
    const { measure, of = "source", ...rest } = threshold ?? {};
    const faults = [];
    if (!MEASURES.includes(measure)) faults.push({ fields: ["measure"], key: "unknown" });
    if (!PLACES.includes(of)) faults.push({ fields: ["of"], key: "unknown" });
    const wrong = NUMBERS.filter((name) => !isBlank(rest[name]) && numberIn2(rest[name]) === void 0);
    if (wrong.length > 0) return [...faults, { fields: wrong, key: "number" }];
    const { low, high, hysteresis = 0 } = thresholdOf(rest);
    if (low === void 0 && high === void 0) {
      return [...faults, { fields: ["low", "high"], key: "noLimit" }];
    }
    if (low !== void 0 && high !== void 0 && low >= high) {
      faults.push({ fields: ["low", "high"], key: "order" });
    }
    if (low === 0) faults.push({ fields: ["low"], key: "never" });
    if (high !== void 0 && high > 0 && hysteresis >= high) {
      faults.push({ fields: ["hysteresis"], key: "never" });
    }
    return faults;
  }
  function thresholdOf(saved) {
    const { measure, of = "source", low, high, hysteresis } = saved;
    return {
      measure,
      of,
      low: numberIn2(low),
      high: numberIn2(high),
      hysteresis: numberIn2(hysteresis)
    };
  }
  function numberIn2(value) {
    if (typeof value === "number") return value >= 0 && value < Infinity ? value : void 0;
    return typeof value === "string" && /^\d+(\.\d+)?$/.test(value) ? Number(value) : void 0;
  }
  var EVENTS, MEASURES, PLACES, NUMBERS, isEvent, isBlank;
  var init_watch = __esm({
    "client/model/watch.ts"() {
      "use strict";
      EVENTS = [
        "appliance.unreachable",
        "appliance.reachable",
        "device.status",
        "device.firmware",
        "device.config",
        "peer.status",
        "route.added",
        "route.removed",
        "route.renamed",
        "route.started",
        "route.stopped",
        "route.status",
        "route.changed",
        "source.status",
        "destination.added",
        "destination.removed",
        "destination.started",
        "destination.stopped",
        "destination.status",
        "statistics.low",
        "statistics.high",
        "statistics.normal"
      ];
      MEASURES = ["bitrate", "roundTripTime", "packetLoss"];
      PLACES = ["source", "destination"];
      NUMBERS = ["low", "high", "hysteresis"];
      isEvent = (name) => EVENTS.includes(name);
      isBlank = (value) => value === void 0 || value === null || value === "";
    }
  });

  // nodes/watch/editor/text.ts
  function text4(key, values) {
    return RED._(`@media-gateway/node-red/watch:${key}`, values);
  }
  var init_text3 = __esm({
    "nodes/watch/editor/text.ts"() {
      "use strict";
    }
  });

  // nodes/watch/editor/events.ts
  function showEvents(saved) {
    const chosen = new Set(eventsIn(saved));
    const others2 = [...chosen].filter((name) => !isEvent(name));
    const names = [...EVENTS, ...others2];
    const boxes = new Map(
      names.map((name) => [
        name,
        element("input", {
          type: "checkbox",
          id: `media-gateway-watch-event-${names.indexOf(name)}`,
          value: name,
          checked: chosen.has(name)
        })
      ])
    );
    const group = (title, members, titleOf2) => element(
      "fieldset",
      {},
      element("legend", {}, title),
      ...members.map((name) => {
        const box = boxes.get(name);
        return element(
          "div",
          { className: "media-gateway-watch-event", title: name },
          box,
          element("label", { htmlFor: box.id }, titleOf2(name))
        );
      })
    );
    const choice2 = document.querySelector("#media-gateway-watch-which");
    const place2 = document.querySelector("#media-gateway-watch-events");
    place2.append(
      ...Object.entries(GROUPS).map(
        ([key, isIn]) => group(text4(`group.${key}`), EVENTS.filter(isIn), (name) => text4(`event.${name}`))
      )
    );
    if (others2.length > 0) place2.append(group(text4("group.others"), others2, (name) => name));
    choice2.value = chosen.size === 0 ? "all" : "some";
    const update = () => place2.hidden = choice2.value === "all";
    choice2.addEventListener("change", update);
    update();
    return () => choice2.value === "all" ? [] : names.filter((name) => boxes.get(name).checked);
  }
  var GROUPS;
  var init_events = __esm({
    "nodes/watch/editor/events.ts"() {
      "use strict";
      init_watch();
      init_element();
      init_text3();
      GROUPS = {
        appliance: (name) => /^(appliance|device|peer)\./.test(name),
        routes: (name) => name.startsWith("route."),
        ends: (name) => /^(source|destination)\./.test(name),
        statistics: (name) => name.startsWith("statistics.")
      };
    }
  });

  // nodes/watch/editor/limits.ts
  function showLimits(saved) {
    const rows = [];
    const list2 = $("#media-gateway-watch-limits");
    list2.editableList({
      addButton: text4("limit.add"),
      removable: true,
      height: "auto",
      addItem: (content, _, limit) => {
        const added = Object.keys(limit).length === 0;
        const row = showRow(content.get(0), added ? { measure: "bitrate" } : limit, !added);
        rows.push(row);
      }
    });
    for (const limit of Array.isArray(saved) ? saved : []) {
      list2.editableList("addItem", { measure: "", ...limit });
    }
    return () => rows.filter(isThere).map(({ read: read2 }) => read2());
  }
  function isThere({ content }) {
    return content.closest(".red-ui-editableList-item-deleting") === null;
  }
  function showRow(content, limit, complains) {
    const id = `media-gateway-watch-limit-${counter3++}`;
    const fields = {
      measure: select2("measure", MEASURES, limit["measure"]),
      of: select2("of", PLACES, limit["of"]),
      low: input("low", limit["low"]),
      high: input("high", limit["high"]),
      hysteresis: input("hysteresis", limit["hysteresis"])
    };
    const fault2 = element("div", { id: `${id}-fault`, className: "media-gateway-watch-fault" });
    for (const [name, field2] of Object.entries(fields)) {
      field2.id = `${id}-${name}`;
      field2.setAttribute("aria-describedby", fault2.id);
    }
    content.append(
      element("div", { className: "media-gateway-watch-limit" }, fields.measure, fields.of),
      element(
        "div",
        { className: "media-gateway-watch-limit" },
        ...NUMBERS.map((name) => {
          const label = element("label", { htmlFor: fields[name].id }, text4(`limit.${name}`));
          return element("div", {}, label, fields[name]);
        })
      ),
      fault2
    );
    content.parentElement?.querySelector(".red-ui-editableList-item-remove")?.setAttribute("aria-label", text4("limit.remove"));
    const read2 = () => ({
      ...limit,
      measure: fields.measure.value,
      of: fields.of.value,
      ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf2(fields[name].value)]))
    });
    const check = () => {
      const [found] = faultsOf2(read2());
      const wrong = found?.fields ?? [];
      for (const [name, field2] of Object.entries(fields)) {
        field2.classList.toggle("input-error", wrong.includes(name));
        field2.ariaInvalid = String(wrong.includes(name));
      }
      fault2.textContent = found ? text4(`error.${found.key}`) : "";
    };
    content.addEventListener("change", check);
    if (complains) check();
    return { content, read: read2 };
  }
  function numberOf2(typed) {
    const trimmed = typed.trim();
    return /^\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
  }
  function input(name, value) {
    return element("input", {
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      placeholder: text4(`placeholder.${name}`),
      value: typeof value === "number" || typeof value === "string" ? String(value) : ""
    });
  }
  function select2(name, known, value) {
    const made = element(
      "select",
      { ariaLabel: text4(`limit.${name}`) },
      ...known.map((each) => element("option", { value: each }, text4(`${name}.${each}`)))
    );
    if (typeof value === "string") {
      if (!known.includes(value)) made.append(element("option", { value }, value));
      made.value = value;
    }
    return made;
  }
  var counter3;
  var init_limits = __esm({
    "nodes/watch/editor/limits.ts"() {
      "use strict";
      init_element();
      init_watch();
      init_text3();
      counter3 = 0;
    }
  });

  // nodes/watch/editor/index.ts
  function choices() {
    return {
      device: [
        { value: "auto", label: text4("type.onlyDevice"), hasValue: false },
        idType(text("type.deviceId")),
        "env"
      ],
      route: [
        { value: "all", label: text4("type.everyRoute"), hasValue: false },
        idType(text("type.routeId")),
        nameType(text("type.routeName")),
        ownType("pattern", text4("type.pattern"), "asterisk"),
        "env"
      ]
    };
  }
  var lists, watch;
  var init_editor3 = __esm({
    "nodes/watch/editor/index.ts"() {
      "use strict";
      init_form();
      init_text();
      init_typed();
      init_watch();
      init_events();
      init_limits();
      init_text3();
      lists = /* @__PURE__ */ new WeakMap();
      watch = {
        /** To call in `oneditprepare`. */
        prepareForm(node) {
          prepareForm(node, choices());
          const shown3 = {
            events: showEvents(node["events"]),
            thresholds: showLimits(node["thresholds"])
          };
          lists.set(
            node,
            Object.entries(shown3).map(([property, read2]) => ({
              property,
              read: read2,
              first: JSON.stringify(read2())
            }))
          );
        },
        /** To call in `oneditsave`. A list that shows what it showed at first stays as it is in the node. */
        saveForm(node) {
          saveForm(node);
          for (const { property, read: read2, first } of lists.get(node) ?? []) {
            const list2 = read2();
            if (JSON.stringify(list2) !== first) node[property] = list2;
          }
        },
        /** True, or which of the events there are not. */
        checkEvents(value, options = {}) {
          const others2 = eventsIn(value).filter((name) => !isEvent(name));
          return others2.length === 0 || reason(`${others2.join(", ")}: ${text4("error.unknown")}`, options);
        },
        /** True, or what is wrong with the limits. */
        checkThresholds(value, options = {}) {
          if (value === void 0 || value === null || value === "") return true;
          if (!Array.isArray(value)) return reason(text4("error.list"), options);
          const faults = value.flatMap((limit, index) => {
            const [fault2] = faultsOf2(limit);
            return fault2 ? [`${text4("error.row", { row: index + 1 })}: ${text4(`error.${fault2.key}`)}`] : [];
          });
          return faults.length === 0 || reason(faults.join("; "), options);
        }
      };
    }
  });

  // nodes/editor/index.ts
  var require_editor = __commonJS({
    "nodes/editor/index.ts"() {
      init_checks();
      init_form();
      init_fields();
      init_only_gateway();
      init_typed();
      init_use();
      init_text();
      init_editor2();
      init_editor3();
      var mediaGatewayNodes = {
        /** To call in `onadd`. */
        chooseOnlyGateway,
        /** To call in `oneditprepare`. */
        prepareForm,
        /** To call in `oneditsave`. */
        saveForm,
        /** What a property is now: in the open form of the node, else in the node. */
        value: shownValue,
        /** True, or the reason why the value is not good. */
        check(name, value, options = {}) {
          const fault2 = value === void 0 ? void 0 : checks[name](String(value).trim());
          return fault2 === void 0 || reason(text(`error.${fault2[0]}`, fault2[1]), options);
        },
        /** The same for a property with a type beside it, such as `route` and `routeType`. */
        checkTyped(node, property, value, options = {}) {
          if (value === void 0) return true;
          const type = shownValue(node, `${property}Type`);
          const fault2 = checkTyped(type, value);
          if (fault2 !== true) return reason(fault2, options);
          if (property !== "definition" || type !== "json") return true;
          const inside = definitionFault(node, String(value));
          return inside === void 0 || reason(inside, options);
        },
        /** What only the form of the config node needs. */
        gateway,
        /** What only the form of the watch needs. */
        watch
      };
      window.mediaGatewayNodes = mediaGatewayNodes;
    }
  });
  require_editor();
})();
