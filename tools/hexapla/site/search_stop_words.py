"""Words of a question that say nothing of what is looked for."""

from hexapla.languages import base

_WORDS = {
    "en": """
        a about after all also am an and any anyone are as at be because been before being best better between but by
        can cannot could did difference different do does doing done during each either else ever every explain find
        for from get gets getting give go going good got guide had happens has have having help how however i i'm if
        in into is isn it it's its just keep keeps know know let like look looking make makes making me mean means
        meaning might more most much must my need needs new no not now of on only or other our please possible
        problem properly question really recommended right say see should show so some someone something solution still
        such take takes tell than that the their them then there these they thing this those to too tutorial understand
        up us use used useful using versus very vs want was way ways we well were what what's when where whether which
        while who why will wish with without won work working works would you your
    """,
    "zh": """
        的 了 吗 呢 吧 啊 呀 嘛 么 和 与 跟 或 或者 以及 是 就 都 也 还 又 才 被 把 给 在 从 对 为 用 让 要 会 能 可以 应该
        如何 怎么 怎样 怎么办 怎么样 怎么回事 怎么解决 如何解决 解决 解决办法 解决方法 解决方案 什么 什么是 什么意思 是什么
        为什么 为何 啥 咋 咋办 哪个 哪些 哪种 哪里 多少 多大 几个 请问 请教 求助 求教 一下 一个 这个 那个 我 我的 你 我们
        有没有 是不是 能不能 可不可以 要不要 需要 想 方法 办法 教程 问题 区别 有什么区别 差别 差异 差在哪 比较 对比 哪个好
        有哪些 好 合适 比较好 推荐 使用 使用方法 用法 介绍 详解 总是 一直 时 时候 之间 关于 进行 地 得
        要怎么 該怎麼 麼 嗎 怎麼 怎麼辦 什麼 為什麼 哪裡 請問 如何使用 還是 會 這樣 時候 應該 個
    """,
    "ja": """
        の は が を に で と へ も や か ね よ から まで より など として とは って では には での への とか について における
        です ですか ます ますか でしょうか だろうか ください 下さい する して した しない すれば するには するとき したい
        される された できる できない できますか ある あります いる います なる なります どう どうすれば どうやって どうしたら
        どのように どうして なぜ 何 なに 何が いくつ どれ どれくらい どのくらい どっち どちら いい よい 良い どこ いつ
        方法 やり方 使い方 仕方 違い 比較 原因 理由 対処 対処法 対策 解決 解決方法 解決策 とき 時 場合 必要 必要か 意味 入門 解説
        教えて おすすめ 決め方 てください こと もの ため この その それ これ
    """,
}


def stop_words(language: str) -> list[str]:
    """The words of a language that a query can lack, English ones in every language; fixed phrases are among them."""
    return [*_WORDS["en"].split(), *_WORDS.get(base(language), "").split()]
