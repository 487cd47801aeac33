/* What about my model? Looks a kind of model up in models.json, which snippets/models/table.py writes. What the settings of
   a config.json show is decided as in snippets/models/_traits.py; a test holds the two beside each other. */
const hexaplaLookup = (() => {
  /* The first of some settings that is set; as a number, 0 where it is none. */
  const first = (settings, ...names) => names.map(name => settings[name]).find(value => value != null);
  const number = (settings, ...names) => {
    const value = first(settings, ...names);
    return ["number", "boolean"].includes(typeof value) ? Number(value) : 0;
  };
  const scaled = (settings, ...names) =>
    names.map(name => settings[name]).some(value => value != null && value !== 1 && typeof value !== "boolean");
  const layers = settings => Array.isArray(settings.layer_types) ? settings.layer_types.map(String) : null;
  function ropeTypes(settings) {
    const isTable = value => typeof value === "object" && value !== null && !Array.isArray(value);
    const tables = [settings.rope_parameters, settings.rope_scaling].filter(isTable);
    return tables.flatMap(table => [table, ...Object.values(table).filter(isTable)])
      .map(table => String(first(table, "rope_type", "type")));
  }
  function hasWindow(settings) {
    const kinds = layers(settings);
    if (kinds) return kinds.some(kind => /sliding|chunked/.test(kind));
    return number(settings, "sliding_window", "attention_window_size", "local_attention", "window_size") > 0
      && settings.use_sliding_window !== false;
  }
  function hasGroupedHeads(settings) {
    const shared = number(settings, "num_key_value_heads", "num_kv_heads", "n_head_kv");
    return (shared && shared < number(settings, "num_attention_heads", "n_head", "n_heads", "num_heads"))
      || Boolean(settings.multi_query);
  }

  /* The traits that settings alone show. */
  const SHOWN = {
    "grouped-heads": hasGroupedHeads,
    "latent-attention": settings => number(settings, "kv_lora_rank") > 0,
    "attention-soft-cap": settings => Boolean(settings.attn_logit_softcapping),
    "logit-soft-cap": settings => Boolean(settings.final_logit_softcapping),
    "scaled-logits": settings => scaled(settings, "logit_scale", "logits_scaling", "lm_head_multiplier", "logits_to_scale",
                                        "dim_model_base"),
    "scaled-embeddings": settings => scaled(settings, "embedding_multiplier", "scale_emb", "mup_enabled")
      || settings.scale_embedding === true,
    "sliding-window": hasWindow,
    "chunked-attention": settings => (layers(settings) ?? []).includes("chunked_attention"),
    "selected-tokens": settings => (layers(settings) ?? []).some(kind => /indexed|compressed/.test(kind))
      || number(settings, "index_topk", "keep_window_size") > 0,
    "sizes-by-layer": settings => Boolean(first(settings, "global_head_dim", "num_global_key_value_heads",
                                                "per_layer_config")),
    "encoder-decoder": settings => settings.is_encoder_decoder === true,
    "decoder-off": settings => settings.is_decoder === false && settings.is_encoder_decoder !== true,
    "cache-off": settings => settings.use_cache === false,
    "length-dependent-rope": settings => ropeTypes(settings).some(type => ["longrope", "dynamic"].includes(type)),
    "tied-head": settings => settings.tie_word_embeddings === true,
  };

  /* The settings of the language model inside those of a multimodal one, else the settings themselves. */
  function languageSettings(settings) {
    for (const name of ["text_config", "language_config", "llm_config", "decoder", "thinker_config"]) {
      const inner = settings[name];
      if (typeof inner === "object" && inner !== null && !Array.isArray(inner) && Object.keys(inner).length) {
        const both = settings.is_encoder_decoder === true ? {is_encoder_decoder: true} : {};
        return {...settings, ...languageSettings(inner), ...both};  // The decoder's own settings know no encoder.
      }
    }
    return settings;
  }
  /* Whether each trait holds that settings decide; those of settings that are not given are left out. */
  function decideTraits(settings) {
    const inner = languageSettings(settings), decided = {};
    for (const [name, holds] of Object.entries(SHOWN)) {
      let asked = false;
      const given = new Proxy(inner, {get: (all, key) => { asked ||= Object.hasOwn(all, key); return all[key]; }});
      const held = holds(given);
      if (held || asked) decided[name] = held;
    }
    return decided;
  }

  /* What a config.json says: its kind, the traits that it shows, and what is to be said of it, keys of the words below. */
  function readConfig(text) {
    let settings;
    try { settings = JSON.parse(text); } catch (error) {
      const found = /"model_type"\s*:\s*"([\w.+-]+)"/.exec(text);
      return found ? {kind: found[1], remarks: ["damaged"]} : {fault: "not-json"};
    }
    if (typeof settings !== "object" || settings === null || Array.isArray(settings)) return {fault: "no-settings"};
    const kind = typeof settings.model_type === "string" ? settings.model_type : "";
    const decided = decideTraits(settings);
    if (!kind && !Object.values(decided).includes(true)) return {fault: "no-settings"};
    return {kind, path: settings._name_or_path, decided, settings: languageSettings(settings), remarks: [...(kind ? [] : ["no-kind"]), ...("auto_map" in settings ? ["own-code"] : [])]};
  }

  /* The results of a kind: for each method what came of it, and the trait that explains it. `decided` are the traits that its
     configuration shows or lacks: with one that the tried model lacks, a method that works is a doubt where it mostly does
     not, and one that fails for a trait that the configuration lacks has not been tried with it.
     `count` is what the ranks of a method must divide in `settings`: with 1, a method that works for the kind is one too. */
  const LETTERS = {w: "works", d: "differs", r: "raises", "-": "not-applicable", "?": "not-tried"};
  const rowOf = (table, kind) => Object.hasOwn(table.kinds, kind) ? table.kinds[kind] : undefined;
  const isTried = row => Boolean(row?.[2]);
  function lookUp(table, kind, decided = {}, settings = {}) {
    const row = rowOf(table, kind), tried = isTried(row) ? row[1].map(index => table.traits[index]) : [];
    const own = tried.filter(name => decided[name] !== false), gone = tried.filter(name => decided[name] === false);
    const more = Object.keys(decided).filter(name => decided[name] && !tried.includes(name)), traits = [...own, ...more];
    const alike = Object.values(table.kinds).filter(each => isTried(each)
      && traits.every(name => each[1].includes(table.traits.indexOf(name))));
    const results = Object.entries(table.methods).map(([method, {because, divide = []}], index) => {
      const count = number(settings, ...divide);
      if (!isTried(row)) {
        const tried = alike.map(each => each[2][index]).filter(letter => "wdr".includes(letter));
        return {method, count, result: "not-tried", because: because.find(name => traits.includes(name)),
                works: tried.filter(letter => letter === "w").length, tried: tried.length};
      }
      const result = LETTERS[row[2][index]];
      if (result === "works") {
        const against = because.find(name => more.includes(name));
        return {method, count, result: against || count === 1 ? "doubt" : "works", because: against};
      }
      const cause = because.find(name => tried.includes(name));
      return gone.includes(cause) ? {method, count, result: "not-tried"} : {method, result, because: cause};
    });
    return {known: Boolean(row), tried: isTried(row), name: row?.[0] ?? "", own, more, gone, results};
  }

  /* The kind that is meant by what was typed, or kinds of similar names: first those that it begins with, the longest of them
     before the others, and of those that are as like the short and the new ones. `read` is true where only the way in which
     checkpoints are named tells the kind. */
  const plain = text => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  function findKinds(table, typed) {
    const last = lastPart(typed), wanted = plain(last), kinds = Object.keys(table.kinds);
    const find = text => kinds.find(kind => kind === typed) ?? kinds.find(kind => plain(kind) === text || plain(table.kinds[kind][0]) === text);
    const exact = wanted ? find(wanted) : undefined;
    if (exact || !wanted) return {kind: exact ?? "", alike: []};
    const kind = readName(table.names, last, kinds, find);
    if (kind) return {kind, read: true, alike: []};
    const common = kind => [...plain(kind)].findIndex((letter, at) => letter !== wanted[at]);
    const length = kind => common(kind) < 0 ? plain(kind).length + wanted.length : common(kind);
    const alike = kinds.filter(kind => length(kind) >= 3 || plain(kind).includes(wanted));
    return {kind: "", alike: alike.sort((one, other) =>
      length(other) - length(one) || one.length - other.length || other.localeCompare(one)).slice(0, 5)};
  }
  /* The kind of a checkpoint's name, by the first pattern that it begins with, else by the words that are left of it. */
  function readName(names, name, kinds, find) {
    const words = joined(name), row = names.kinds.find(([pattern]) => new RegExp(`^(?:${pattern})(?=-|$)`).test(words));
    return row ? kinds.find(kind => kind === row[1]) : find(plain(without(`${names.sizes}|${names.variants}`, words)));
  }
  const lastPart = typed => typed.trim().split("/").at(-1);
  const joined = name => name.toLowerCase().replace(/[\s_:]+/g, "-");
  const without = (dropped, words) => words.split("-").filter(word => !new RegExp(`^(?:${dropped})$`).test(word)).join("-");
  /* The calculator's model of a checkpoint's shape, else the name without its variant. The first part of a name finds the
     first model; behind a size stands what changes no shape. */
  function findModel({names}, typed) {
    const spelled = name => joined(name).replace(/([a-z])(?=\d)/g, "$1-");
    const words = without(names.variants, joined(lastPart(typed))), wanted = spelled(words);
    const find = fits => names.models.find(each => fits(spelled(each)));
    return find(each => each === wanted) ?? find(each => each.startsWith(`${wanted}-`))
      ?? find(each => /\db$/.test(each) && wanted.startsWith(`${each}-`)) ?? words;
  }
  return {decideTraits, languageSettings, readConfig, lookUp, findKinds, findModel, SHOWN: Object.keys(SHOWN)};
})();

{
  const WORDS = {
    en: {
      kind: "Model name, or model_type in config.json", file: "Open config.json", drop: "or drop it here", examples: "Try",
      verdict: "{kind}: {works} of {tried} tried methods work", "all-work": "{kind}: all {tried} tried methods work",
      of: "Tried in a small {name} on a CPU, on {date}, with transformers {version}.", "kind-not-tried": "{kind} has not been tried.",
      "same-traits": "With kinds of the same traits:", "open-config": "Open its config.json to see how the methods do with kinds of the same traits.",
      "read-as": "Guessed from the name. Open config.json to be sure.", example: "An example. Type the name of your model above.",
      "kind-unknown": "The table has no kind “{kind}”.", alike: "model_type in its config.json says which it is. Similar names:",
      "not-json": "This is not JSON, and no model_type can be read in it.", "no-settings": "This is not the config.json of a model.",
      damaged: "The file is not JSON: only its model_type was read.", "no-kind": "The file names no model_type: only what its settings show is said.",
      "own-code": "The checkpoint brings code of its own, which was not run: this is the model of transformers of the same kind.",
      traits: "Traits", more: "Traits that your configuration also has", gone: "Traits of this kind that your configuration lacks", none: "None of the traits in the table.",
      differs: "Runs, but the result differs", raises: "Raises an error", doubt: "Works for this kind, but mostly not with your configuration's traits",
      works: "Works", "not-tried": "Not tried", "not-applicable": "Not meant for this kind", share: "works for {works} of {tried}",
      training: "Train", memory: "Save memory", loading: "Load and save", inference: "Generate and serve", gpus: "Use several GPUs",
    },
    zh: {
      kind: "模型名称，或 config.json 中的 model_type", file: "打开 config.json", drop: "或将它拖到这里", examples: "例如：",
      verdict: "{kind}：试过的 {tried} 种方法中有 {works} 种可用", "all-work": "{kind}：试过的 {tried} 种方法全部可用",
      of: "于 {date} 用 transformers {version} 在 CPU 上的小模型（{name}）中测试。", "kind-not-tried": "{kind} 尚未测试。",
      "same-traits": "以下是特征相同的种类的结果：", "open-config": "打开它的 config.json，可以看到特征相同的种类的结果。",
      "read-as": "根据名称推测。要确认，请打开 config.json。", example: "这是一个例子，请在上面输入自己的模型名称。",
      "kind-unknown": "表中没有“{kind}”这个种类。", alike: "请以 config.json 中的 model_type 为准。名称相近的种类：",
      "not-json": "内容不是 JSON，也读不出 model_type。", "no-settings": "这不是模型的 config.json。",
      damaged: "文件不是有效的 JSON，只读出了 model_type。", "no-kind": "文件中没有 model_type，以下只根据各项设置判断。",
      "own-code": "该检查点自带代码，此处没有运行；以下是 transformers 中同一种类模型的结果。",
      traits: "特征", more: "你的配置另有的特征", gone: "该种类具有而你的配置没有的特征", none: "没有表中的任何特征。",
      differs: "能运行，但结果不同", raises: "报错", doubt: "该种类可用，但你的配置所具有的特征多半不可用",
      works: "可用", "not-tried": "未测试", "not-applicable": "不适用于该种类", share: "{tried} 种中有 {works} 种可用",
      training: "训练", memory: "节省显存", loading: "加载与保存", inference: "生成与推理服务", gpus: "使用多个 GPU",
    },
    "zh-Hant": {
      kind: "模型名稱，或 config.json 中的 model_type", file: "開啟 config.json", drop: "或將它拖曳到這裡", examples: "例如：",
      verdict: "{kind}：試過的 {tried} 種方法中有 {works} 種可用", "all-work": "{kind}：試過的 {tried} 種方法全部可用",
      of: "於 {date} 以 transformers {version} 在 CPU 上的小模型（{name}）中測試。", "kind-not-tried": "{kind} 尚未測試。",
      "same-traits": "以下是特徵相同的種類的結果：", "open-config": "開啟它的 config.json，可以看到特徵相同的種類的結果。",
      "read-as": "根據名稱推測。要確認，請開啟 config.json。", example: "這是一個例子，請在上面輸入自己的模型名稱。",
      "kind-unknown": "表中沒有「{kind}」這個種類。", alike: "請以 config.json 中的 model_type 為準。名稱相近的種類：",
      "not-json": "內容不是 JSON，也讀不出 model_type。", "no-settings": "這不是模型的 config.json。",
      damaged: "檔案不是有效的 JSON，只讀出了 model_type。", "no-kind": "檔案中沒有 model_type，以下只根據各項設定判斷。",
      "own-code": "該檢查點自帶程式碼，此處沒有執行；以下是 transformers 中同一種類模型的結果。",
      traits: "特徵", more: "你的設定另有的特徵", gone: "該種類具有而你的設定沒有的特徵", none: "沒有表中的任何特徵。",
      differs: "能執行，但結果不同", raises: "報錯", doubt: "該種類可用，但你的設定所具有的特徵多半不可用",
      works: "可用", "not-tried": "未測試", "not-applicable": "不適用於該種類", share: "{tried} 種中有 {works} 種可用",
      training: "訓練", memory: "節省 GPU 記憶體", loading: "載入與儲存", inference: "生成與推論服務", gpus: "使用多個 GPU",
    },
    ja: {
      kind: "モデル名、またはconfig.jsonのmodel_type", file: "config.jsonを開く", drop: "ここにドロップすることもできます", examples: "例：",
      verdict: "{kind}：試した{tried}個の手法のうち{works}個が動作します", "all-work": "{kind}：試した{tried}個の手法がすべて動作します",
      of: "CPU上の小さなモデル（{name}）で、{date}にtransformers {version}で試した結果です。", "kind-not-tried": "{kind}はまだ試していません。",
      "same-traits": "同じ特徴を持つ種類での結果は次のとおりです。", "open-config": "config.jsonを開くと、同じ特徴を持つ種類での結果が分かります。",
      "read-as": "名前からの推測です。確かめるには、config.jsonを開いてください。", example: "これは例です。上の欄に、使うモデルの名前を入力してください。",
      "kind-unknown": "表に「{kind}」という種類はありません。", alike: "どの種類かはconfig.jsonのmodel_typeで確かめてください。名前の似た種類：",
      "not-json": "JSONではなく、model_typeも読み取れません。", "no-settings": "モデルのconfig.jsonではありません。",
      damaged: "JSONとして正しくないため、model_typeだけを読み取りました。", "no-kind": "model_typeがないため、設定から分かることだけを示します。",
      "own-code": "このチェックポイントには独自のコードがありますが、実行していません。transformersの同じ種類のモデルの結果です。",
      traits: "特徴", more: "この設定にだけある特徴", gone: "この種類にあって、この設定にない特徴", none: "表にある特徴はありません。",
      differs: "実行できるが、結果が異なる", raises: "エラーになる", doubt: "この種類では動作するが、設定の特徴があるとほとんど動作しない",
      works: "動作する", "not-tried": "未確認", "not-applicable": "この種類は対象外", share: "{tried}種類中{works}種類で動作",
      training: "学習", memory: "メモリの節約", loading: "読み込みと保存", inference: "生成とサービング", gpus: "複数のGPU",
    },
  };
  /* What a reader does with a method, by the page that it is on. */
  const AREAS = Object.entries({
    training: "train_speed packing low_precision peft", memory: "train_memory train_optimizers logits", loading: "big_models",
    inference: "perf_infer_gpu_one perf_infer_cpu serving engines", gpus: "fsdp2 parallelism",
  }).map(([area, pages]) => [area, pages.split(" ")]);
  const EXAMPLES = ["Qwen3 8B", "Mixtral 8x7B", "Gemma 3 12B"];
  const FEW = 5;  // methods that are one list
  const GROUPS = ["differs", "raises", "doubt", "works", "not-tried", "not-applicable"];
  const {readConfig, lookUp, findKinds, findModel} = hexaplaLookup;
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  function start(place, table) {
    const language = document.documentElement.lang, words = WORDS[language] ?? WORDS.en;
    const texts = table.texts[language] ?? table.texts.en;
    const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    const withCode = text => text.split("`").map((part, at) => at % 2 ? make("code", {textContent: part}) : part);

    const typed = make("input", {id: "lookup-kind", type: "search", autocomplete: "off", spellcheck: false});
    typed.setAttribute("list", "lookup-kinds");
    typed.setAttribute("autocapitalize", "none");
    const kinds = make("datalist", {id: "lookup-kinds"}, ...Object.keys(table.kinds).map(value => make("option", {value})));
    const file = make("input", {id: "lookup-file", type: "file", accept: ".json,application/json"});
    const fillers = names => names.flatMap(name => {
      const button = make("button", {type: "button", textContent: name});
      button.addEventListener("click", () => { typed.value = name; ask(); typed.focus(); });
      return [" ", button];
    });
    const form = make("form", {noValidate: true}, make("label", {htmlFor: typed.id, textContent: say("kind")}), typed, kinds,
      make("p", {className: "lookup__examples"}, say("examples"), ...fillers(EXAMPLES)),
      make("p", {}, make("label", {className: "md-button", htmlFor: file.id, textContent: say("file")}), file, make("span", {className: "lookup__drop", textContent: say("drop")})));
    const said = make("p", {className: "lookup__said fit__verdict"}), answer = make("div", {className: "lookup__answer"});
    said.setAttribute("role", "status");
    /* The link to the calculator opens it with the model that was looked up; it reads a configuration that is kept. */
    const calculator = document.querySelector("article a.md-button"), next = calculator.parentElement;
    place.replaceChildren(form, said, next, answer);
    place.classList.add("lookup--ready");

    const section = method => {
      const [page, anchor] = table.methods[method].section.split("#");
      return make("a", {href: `../${page}/#${anchor}`, textContent: texts.methods[method] ?? method});
    };
    const trait = name => {
      const [label, why] = texts.traits[name] ?? [name, ""];
      const title = document.getElementById(`trait-${name}`) ? make("a", {href: `#trait-${name}`, textContent: label}) : label;
      return make("li", {}, make("strong", {}, title), make("div", {}, ...withCode(why)));
    };
    const advice = ({method, because}) => texts.advice[`${method} ${because}`] ?? texts.advice[method];
    function notes(found) {
      const hint = found.because || ["differs", "raises"].includes(found.result) ? advice(found) : "";
      return [hint, found.count ? texts.conditions[found.method].replace("{count}", found.count) : ""].filter(Boolean);
    }
    /* Methods of which the same is to be said are one item. */
    function listMethods(results) {
      const alike = new Map();
      for (const found of results) {
        const key = notes(found).join("\n") || found.method;
        alike.set(key, [...alike.get(key) ?? [], found]);
      }
      return [...alike.values()].map(each => make("li", {},
        ...each.flatMap((found, at) => [at ? " · " : "", section(found.method), found.tried ? ` (${say("share", found)})` : ""]),
        ...notes(each[0]).map(text => make("div", {}, ...withCode(text)))));
    }
    const count = (key, number) => `${say(key)} (${number})`;
    /* What is as on the pages is folded. */
    function group(key, items, number = items.length, list = make("ul", {}, ...items)) {
      if (!items.length) return [];
      const folded = ["works", "not-applicable"].includes(key);
      const head = make(folded ? "summary" : "p", {className: `lookup__group lookup__group--${key}`, textContent: count(key, number)});
      return folded ? [make("details", {className: "lookup__fold"}, head, list)] : [head, list];
    }
    /* Many methods are a list for each thing that a reader does, those of which something is to be said first. */
    function listAreas(results) {
      const remarked = results.toSorted((one, other) => notes(other).length - notes(one).length);
      const areas = AREAS.map(([area, pages]) => [area, remarked.filter(({method}) => pages.includes(table.methods[method].section.split("#")[0]))]);
      return make("div", {className: "lookup__areas"}, ...areas.filter(([, found]) => found.length).map(([area, found]) =>
        make("div", {}, make("p", {textContent: say(area)}), make("ul", {}, ...listMethods(found)))));
    }

    /* Its other choices are in the address, as it wrote them there. */
    function fillCalculator(choice, config = "") {
      const {kind, h, ...choices} = Object.fromEntries(new URLSearchParams(location.search));
      calculator.search = new URLSearchParams({...choices, ...choice});
      try { sessionStorage.setItem("hexapla config", config); } catch { /* a reader who keeps nothing */ }
    }

    function show(kind, {name = kind, decided = {}, remarks = [], settings = {}} = {}) {
      const found = lookUp(table, kind, decided, settings);
      const of = key => found.results.filter(each => each.result === key);
      const less = ["differs", "raises", "doubt"].filter(key => of(key).length);
      const verdicts = found.tried ? ["works", ...less].filter(key => of(key).length) : [];
      const head = found.tried ? say(less.length ? "verdict" : "all-work", {kind: name, works: of("works").length, tried: verdicts.flatMap(of).length})
        : found.known ? say("kind-not-tried", {kind: name}) : kind ? say("kind-unknown", {kind}) : name;
      const below = (found.tried ? remarks : [...remarks, found.more.length ? "same-traits" : "open-config"])
        .map(key => make("span", {textContent: say(key)}));
      if (found.tried) below.push(make("small", {textContent: say("of", {name: found.name, date: table.date, version: table.versions.transformers})}));
      said.dataset.verdict = !found.tried ? "" : less.length ? "tight" : "fits";
      const counts = (less.length ? verdicts : []).map(key => make("span", {className: `lookup__count--${key}`, textContent: count(key, of(key).length)}));
      said.replaceChildren(head, ...(counts.length ? [" ", make("span", {className: "lookup__counts"}, ...counts)] : []), ...below);
      const traits = [...group("traits", found.own.map(trait)), ...group(found.tried ? "more" : "traits", found.more.map(trait)),
        ...group("gone", found.gone.map(trait))];
      answer.replaceChildren(
        ...(found.tried || found.more.length ? GROUPS : []).flatMap(key =>
          group(key, listMethods(of(key)), of(key).length, of(key).length > FEW && !["differs", "raises"].includes(key) ? listAreas(of(key)) : undefined)),
        ...(traits.length ? traits : [make("p", {textContent: say("none")})]),
      );
      next.style.display = "";
      writeAddress(found.known && !remarks.includes("example") ? kind : "");
    }
    function complain(text, alike = []) {
      said.dataset.verdict = "";
      said.replaceChildren(text, ...(alike.length ? [make("br"), say("alike"), ...fillers(alike)] : []));
      answer.replaceChildren();
      next.style.display = "none";  // the calculator does not know it either
      writeAddress("");
    }
    let example = false;  // until a reader chooses
    function ask(own) {
      const entered = typed.value.trim(), text = entered || own ? entered : EXAMPLES[0];
      example = text && text !== entered;
      const {kind, read, alike} = findKinds(table, text);
      if (text.startsWith("{")) return take(text);
      fillCalculator(!own && !(example && given.has("model")) && {model: findModel(table, text)});
      if (kind) show(kind, {remarks: example ? ["example"] : read && !EXAMPLES.includes(text) ? ["read-as"] : []});
      else if (text) complain([say("kind-unknown", {kind: text}), ...(alike.length ? [] : [say("open-config")])].join(" "), alike);
      else complain("");
      if (own) next.style.display = "";
    }
    function take(text, file) {
      const read = readConfig(text), {kind} = read;
      if (read.fault) return complain(say(read.fault));
      example = false;
      const name = file !== "config.json" && file || read.path || kind;
      typed.value = kind;
      fillCalculator({config: name || "config.json"}, text);
      show(kind, {...read, name: [...new Set([name, kind])].filter(Boolean).join(" · ")});
    }
    const takeFile = async chosen => { if (chosen) take(chosen.size > 1e6 ? "" : await chosen.text(), chosen.name); };
    function writeAddress(kind) {
      const state = new URL(location);
      for (const name of ["h", "kind"]) state.searchParams.delete(name);
      if (kind) state.searchParams.set("kind", kind);
      history.replaceState(history.state, "", state);
      for (const link of document.querySelectorAll(".md-select__link[hreflang]")) link.search = location.search;
    }

    form.addEventListener("submit", event => event.preventDefault());
    typed.addEventListener("input", () => ask());
    /* The example stands in the field, and what is typed takes its place. */
    const fillExample = () => { if (example) typed.value = EXAMPLES[0]; };
    const selectExample = () => { if (example) typed.select(); };
    typed.addEventListener("blur", fillExample);
    typed.addEventListener("focus", () => {
      selectExample();
      typed.addEventListener("click", selectExample, {once: true});  // a click that brings the focus sets the cursor
    });
    file.addEventListener("change", () => takeFile(file.files[0]));
    place.addEventListener("dragover", event => event.preventDefault());
    place.addEventListener("drop", event => { event.preventDefault(); takeFile(event.dataTransfer.files[0]); });
    /* From an address, or from a search for a kind. */
    const given = new URLSearchParams(location.search), searched = given.get("h") ?? "";
    typed.value = given.get("kind") ?? (searched in table.kinds ? searched : "");
    ask(given.get("model") === "own");  // whose sizes are in the address
    fillExample();
  }

  const place = document.querySelector(".lookup");
  const from = document.currentScript.src, rules = make("link", {rel: "stylesheet", href: new URL("models.css", from)});
  if (place) {
    const styled = new Promise(done => { rules.onload = rules.onerror = done; });
    document.head.append(rules);
    Promise.all([fetch(new URL("models.json", from)).then(answer => answer.json()), styled]).then(([table]) => start(place, table), () => {});
  }
}
